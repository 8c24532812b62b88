import { errorText } from '../i18n/error-text'
import { useI18n } from '../i18n/i18n'
import { Alert } from '../ui/alert'
import { Notice } from '../ui/notice'
import type { Switch } from './use-switches'

interface Props {
  hold: Switch
  quiet: Switch
}

/** On every screen while everything is held: that it is, and what went wrong with the switches. They stand beside it, in the navigation. */
export function HoldBar({ hold, quiet }: Props) {
  const { t } = useI18n()
  const error = hold.error ?? quiet.error
  return (
    <>
      {hold.on && (
        <Notice tone="care" icon="ask" role="status">
          <strong title={t('hold.on')}>{t('hold.on')}</strong>
        </Notice>
      )}
      <Alert>{error && errorText(t, error)}</Alert>
    </>
  )
}
