import { useDesk } from '../../desk/desk-context'
import type { Agent } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { When } from '../../i18n/when'
import { AgentText } from '../../ui/agent-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { useTimeLeft } from '../../ui/use-time-left'
import css from './agents-screen.module.css'
import { useI18n } from './screen'

/** Stops an agent, or says until when it is stopped and lets it go on. */
export function StopState({ agent }: { agent: Agent }) {
  const { t, tx } = useI18n()
  const desk = useDesk()
  const left = useTimeLeft(agent.stoppedUntil)
  const stopped = agent.stoppedUntil !== null && left !== 0
  const { asked, error, run } = useAction((go: boolean) => (go ? desk.resumeAgent(agent.id) : desk.stopAgent(agent.id)), { renews: ['agents'] })
  const busy = asked?.[0] === stopped // once it is shown otherwise the button does another thing, whatever else is renewed
  return (
    <>
      {stopped && agent.stoppedUntil !== null && (
        <p className={css.since} role="status">
          {tx('approval.stoppedUntil', { agent: <AgentText>{agent.name}</AgentText>, time: <When at={agent.stoppedUntil} /> })}
        </p>
      )}
      <Button
        small
        aria-disabled={busy} // it keeps the focus
        title={stopped ? undefined : t('approval.stopHint', { agent: agent.name })}
        aria-label={t(stopped ? 'approval.goOnOne' : 'agents.stopOne', { agent: agent.name })}
        onClick={() => {
          if (!busy) void run(stopped)
        }}
      >
        {t(stopped ? 'approval.goOn' : 'agents.stop')}
      </Button>
      <Alert>{error && errorText(t, error)}</Alert>
    </>
  )
}
