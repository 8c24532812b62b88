import type { ComponentType } from 'react'
import { errorText } from '../../i18n/error-text'
import { useI18n } from '../../i18n/i18n'
import { Button } from '../../ui/button'
import { useLate, type LateComponent } from '../../ui/late-component'
import { Notice } from '../../ui/notice'

/** A component that comes right after the first screen, or, where it did not come, the offer to load it again. */
export function Late<P extends object>({ part, props }: { part: LateComponent<P>; props: P }) {
  const { t } = useI18n()
  const { component, failed, reload } = useLate(part)
  const Loaded: ComponentType<P> | null = component
  if (Loaded) return <Loaded {...props} />
  return (
    failed && (
      <Notice tone="deny" role="alert">
        <p>{errorText(t, { code: 'unreachable', message: '' })}</p>
        <Button small onClick={() => void reload()}>
          {t('common.retry')}
        </Button>
      </Notice>
    )
  )
}
