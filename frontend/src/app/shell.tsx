import { useEffect } from 'react'
import { useDesk } from '../desk/desk-context'
import { ApprovalDesk } from '../features/approvals/approval-desk'
import type { QueueState } from '../features/approvals/queue/queue-state'
import { usePendingQueue } from '../features/approvals/queue/use-pending-queue'
import { useI18n } from '../i18n/i18n'
import { ErrorBoundary } from '../ui/error-boundary'
import { CompactPage } from './compact-page'
import { DialogBoundary } from './dialog-boundary'
import { LatePreferences } from './late-preferences'
import { LateWelcome } from './late-welcome'
import { Navigation } from './navigation'
import { PageFailed } from './page-failed'
import { ScreenBoundary } from './screen-boundary'
import { StatusBars } from './status-bars'
import { useCompact } from './use-compact'
import { useHoldKey } from './use-hold-key'
import { useScreen } from './use-screen'
import { useSwitches } from './use-switches'
import css from './shell.module.css'

/** The page of a person at the desk: one screen, and outside of it, so that nothing that fails there takes it away, what waits. */
export function Shell({ reload }: { reload: () => void }) {
  const { t } = useI18n()
  const desk = useDesk()
  const screen = useScreen()
  const compact = useCompact()
  const { hold, quiet, unknown } = useSwitches()
  useHoldKey(hold)
  // Until the desk says that it may disturb, it may not; one that cannot say so must not keep calls from being seen.
  const { queue, state } = usePendingQueue(quiet.pressed === true || (quiet.on ?? !unknown)) // who presses it wants it at once
  const waiting = waitingCount(state)
  useEffect(() => {
    document.title = waiting === '' ? 'Sekisho' : t('waiting.tab', { count: waiting })
  }, [t, waiting])
  const whole = (
    <div className={css.shell}>
      <a
        className={css.skip}
        href="#content"
        onClick={(e) => {
          e.preventDefault()
          document.getElementById('content')?.focus()
        }}
      >
        {t('nav.skip')}
      </a>
      <Navigation screen={screen.name} waiting={waiting} hold={hold} quiet={quiet} />
      <div className={css.page}>
        <StatusBars queue={queue} state={state} hold={hold} quiet={quiet} />
        <main className={css.content} id="content" tabIndex={-1}>
          <ScreenBoundary screen={screen} page={{ queue, state, around: LateWelcome, looks: <LatePreferences /> }} reload={reload} />
        </main>
      </div>
    </div>
  )
  const expand = () => void desk.expand().catch(() => undefined)
  return (
    <>
      <ErrorBoundary fallback={(error) => <PageFailed error={error} onReload={reload} />}>
        {compact ? <CompactPage queue={queue} state={state} hold={hold} quiet={quiet} onExpand={expand} /> : whole}
      </ErrorBoundary>
      <DialogBoundary queue={queue} state={state}>
        <ApprovalDesk queue={queue} state={state} onExpand={compact ? expand : null} />
      </DialogBoundary>
    </>
  )
}

/** How many calls wait, as far as the page knows: "3", "200+", and nothing for none. */
function waitingCount({ items, more }: QueueState): string {
  return items.length === 0 ? '' : `${String(items.length)}${more ? '+' : ''}`
}
