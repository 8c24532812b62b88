import { useEffect } from 'react'
import { ActivityScreen } from '../features/activity/activity-screen'
import { AgentsScreen } from '../features/agents/agents-screen'
import { ApprovalDesk } from '../features/approvals/approval-desk'
import type { QueueState } from '../features/approvals/queue-state'
import { usePendingQueue } from '../features/approvals/use-pending-queue'
import { WaitingScreen } from '../features/approvals/waiting-screen'
import { GrantsScreen } from '../features/grants/grants-screen'
import { RulesScreen } from '../features/rules/rules-screen'
import { ServersScreen } from '../features/servers/servers-screen'
import { SettingsScreen } from '../features/settings/settings-screen'
import { Welcome } from '../features/welcome/welcome'
import { useDesk } from '../desk/desk-context'
import type { Language } from '../i18n/catalogue'
import { useI18n } from '../i18n/i18n'
import { CompactPage } from './compact-page'
import { Navigation } from './navigation'
import { Preferences } from './preferences'
import { useScreen } from './screens'
import { StatusBars } from './status-bars'
import { useCompact } from './use-compact'
import { useHoldKey } from './use-hold-key'
import { useSwitches } from './use-switches'
import css from './shell.module.css'

/** The page of a person at the desk: one screen, and above all of them what waits. */
export function Shell() {
  const { t } = useI18n()
  const desk = useDesk()
  const screen = useScreen()
  const compact = useCompact()
  const { hold, quiet, unknown } = useSwitches()
  useHoldKey(hold)
  // Until the desk says that it may disturb, it may not; one that cannot say so must not keep calls from being seen.
  const { queue, state } = usePendingQueue(quiet.pressed === true || (quiet.on ?? !unknown)) // who presses it wants it at once
  const waiting = waitingCount(state)
  // Native texts follow; where they cannot, the page still speaks as chosen.
  const speak = (language: Language) => void desk.changeSettings({ language }).catch(() => undefined)
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
      <Navigation screen={screen} waiting={waiting} hold={hold} quiet={quiet} />
      <div className={css.page}>
        <StatusBars queue={queue} state={state} hold={hold} quiet={quiet} />
        <main className={css.content} id="content" tabIndex={-1}>
          {screen === 'waiting' && <WaitingScreen state={state} onReview={queue.review} around={Welcome} />}
          {screen === 'rules' && <RulesScreen />}
          {screen === 'grants' && <GrantsScreen />}
          {screen === 'activity' && <ActivityScreen />}
          {screen === 'servers' && <ServersScreen />}
          {screen === 'agents' && <AgentsScreen />}
          {screen === 'settings' && <SettingsScreen looks={<Preferences onLanguage={speak} />} />}
        </main>
      </div>
    </div>
  )
  const expand = () => void desk.expand().catch(() => undefined)
  return (
    <>
      {compact ? <CompactPage queue={queue} state={state} hold={hold} quiet={quiet} onExpand={expand} /> : whole}
      <ApprovalDesk queue={queue} state={state} onExpand={compact ? expand : null} />
    </>
  )
}

/** How many calls wait, as far as the page knows: "3", "200+", and nothing for none. */
function waitingCount({ items, more }: QueueState): string {
  return items.length === 0 ? '' : `${String(items.length)}${more ? '+' : ''}`
}
