import { useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import { useLoaded } from '../../desk/queries'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { When } from '../../i18n/when'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { useTimeLeft } from '../../ui/use-time-left'
import { useI18n } from './screen'
import css from './insights-screen.module.css'

const lengths = [15, 60] as const

/** A break of the person: nothing asks for attention, and nothing is decided. */
export function BreakPanel() {
  const { t, tx } = useI18n()
  const desk = useDesk()
  const { data, error } = useLoaded('paused')
  const until = data?.until ?? null
  const left = useTimeLeft(until)
  const { error: failed, busy, run } = useAction((deed: () => Promise<void>) => deed(), { renews: ['paused', 'settings'] })
  const [pressed, setPressed] = useState(false) // one button takes the place of the other, and the focus with it
  const wrong = failed ?? error
  const press = (deed: () => Promise<void>) => {
    if (busy) return
    setPressed(true)
    void run(deed)
  }
  return (
    <div
      className={css.break}
      role="group"
      aria-label={t('insights.break')}
      onFocus={() => {
        setPressed(false)
      }}
    >
      {data && (until === null || left === 0) &&
        lengths.map((minutes, i) => (
          <Button
            key={minutes}
            aria-disabled={busy}
            autoFocus={pressed && i === 0}
            onClick={() => {
              press(() => desk.insights().then((rows) => rows.pause(minutes)))
            }}
          >
            {t('insights.pause', { count: minutes })}
          </Button>
        ))}
      {until !== null && left !== 0 && (
        <>
          <span role="status">{tx('insights.pausedUntil', { time: <When at={until} /> })}</span>
          <Button
            look="strong"
            aria-disabled={busy}
            autoFocus={pressed}
            onClick={() => {
              press(() => desk.insights().then((rows) => rows.endPause()))
            }}
          >
            {t('insights.endPause')}
          </Button>
        </>
      )}
      <Alert>{wrong && errorText(t, wrong)}</Alert>
    </div>
  )
}
