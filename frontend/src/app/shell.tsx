import { useEffect } from 'react'
import { ActivityScreen } from '../features/activity/activity-screen'
import { AgentsScreen } from '../features/agents/agents-screen'
import { ApprovalDesk } from '../features/approvals/approval-desk'
import { usePendingQueue } from '../features/approvals/use-pending-queue'
import { WaitingBar } from '../features/approvals/waiting-bar'
import { WaitingScreen } from '../features/approvals/waiting-screen'
import { RulesScreen } from '../features/rules/rules-screen'
import { ServersScreen } from '../features/servers/servers-screen'
import { useI18n } from '../i18n/i18n'
import { Notice } from '../ui/notice'
import { HoldBar } from './hold-bar'
import { Navigation } from './navigation'
import { useScreen } from './screens'
import { useHold } from './use-hold'
import css from './shell.module.css'

/** The page of a person at the desk: one screen, and above all of them what waits. */
export function Shell() {
  const { t } = useI18n()
  const screen = useScreen()
  const { queue, state } = usePendingQueue()
  const hold = useHold()
  const waiting = state.items.length
  useEffect(() => {
    document.title = waiting > 0 ? t('waiting.tab', { count: waiting }) : 'Sekisho'
  }, [t, waiting])
  return (
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
      <Navigation screen={screen} waiting={waiting} hold={hold} />
      <div className={css.page}>
        {state.unreachable && (
          <Notice tone="deny" role="alert">
            {t('app.unreachable')}
          </Notice>
        )}
        <HoldBar hold={hold} />
        <WaitingBar state={state} onReview={queue.review} />
        <main className={css.content} id="content" tabIndex={-1}>
          {screen === 'waiting' && <WaitingScreen state={state} onReview={queue.review} />}
          {screen === 'rules' && <RulesScreen />}
          {screen === 'activity' && <ActivityScreen />}
          {screen === 'servers' && <ServersScreen />}
          {screen === 'agents' && <AgentsScreen />}
        </main>
      </div>
      <ApprovalDesk queue={queue} state={state} />
    </div>
  )
}
