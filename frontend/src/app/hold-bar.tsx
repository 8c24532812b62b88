import { errorText } from '../i18n/error-text'
import { useI18n } from '../i18n/i18n'
import { Notice } from '../ui/notice'
import type { Hold } from './use-hold'

/** On every screen while everything is held: that it is. The switch stands beside it, in the navigation. */
export function HoldBar({ hold }: { hold: Hold }) {
  const { t } = useI18n()
  return (
    <>
      {hold.on && (
        <Notice tone="care" icon="ask" role="status">
          <strong>{t('hold.on')}</strong>
        </Notice>
      )}
      {hold.error && (
        <Notice tone="deny" role="alert">
          {errorText(t, hold.error)}
        </Notice>
      )}
    </>
  )
}
