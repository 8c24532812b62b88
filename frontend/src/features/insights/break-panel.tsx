import { useDesk } from '../../desk/desk-context'
import { useLoaded } from '../../desk/queries'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { When } from '../../i18n/when'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { useI18n } from './screen'
import css from './insights-screen.module.css'

const lengths = [15, 60] as const

/** A break of the person: nothing asks for attention, and nothing is decided. */
export function BreakPanel() {
  const { t, tx } = useI18n()
  const desk = useDesk()
  const { data: until, error } = useLoaded('paused')
  const { error: failed, busy, run } = useAction((deed: () => Promise<void>) => deed(), { renews: ['paused', 'settings'] })
  const wrong = failed ?? error
  return (
    <div className={css.break} role="group" aria-label={t('insights.break')}>
      {until === null ? (
        lengths.map((minutes) => (
          <Button key={minutes} disabled={busy} onClick={() => void run(() => desk.insights().then((rows) => rows.pause(minutes)))}>
            {t('insights.pause', { count: minutes })}
          </Button>
        ))
      ) : (
        <>
          <span role="status">{tx('insights.pausedUntil', { time: <When at={until} /> })}</span>
          <Button look="strong" disabled={busy} onClick={() => void run(() => desk.insights().then((rows) => rows.endPause()))}>
            {t('insights.endPause')}
          </Button>
        </>
      )}
      <Alert>{wrong && errorText(t, wrong)}</Alert>
    </div>
  )
}
