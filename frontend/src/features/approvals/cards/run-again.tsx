import { useCallback, useState } from 'react'
import { useI18n } from '../../../i18n/i18n'
import { Button } from '../../../ui/button'
import { armingMs, type Gesture } from '../answer/arming'
import { isEscape } from '../answer/keys'
import css from './card.module.css'

interface Props {
  busy: boolean
  onRun: (event: Gesture) => void
  onCancel: () => void
}

/** What running a second time means. The yes to it is inert at first, as that of a new call. */
export function RunAgain({ busy, onRun, onCancel }: Props) {
  const { t } = useI18n()
  const [ready, setReady] = useState(false)
  const arm = useCallback(() => {
    const timer = setTimeout(() => {
      setReady(true)
    }, armingMs.high)
    return () => {
      clearTimeout(timer)
    }
  }, [])
  const inert = busy || !ready
  return (
    <div ref={arm} className={css.ask} role="group" aria-label={t('doubt.ask')} onKeyDown={(e) => { if (isEscape(e)) onCancel() }}>
      <p>
        <strong>{t('doubt.ask')}</strong> {t('doubt.askText')}
      </p>
      <div className={css.actions}>
        <Button autoFocus disabled={busy} onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        <Button look="danger" className={css.inert} aria-disabled={inert} onClick={(e) => { if (!inert) onRun(e.nativeEvent) }}>
          {t('doubt.runTwice')}
        </Button>
      </div>
    </div>
  )
}
