import { useDesk } from '../../../desk/desk-context'
import { useLive } from '../../../desk/live'
import type { Agent } from '../../../desk/types'
import { useAction } from '../../../desk/use-action'
import { errorText } from '../../../i18n/error-text'
import { useI18n } from '../../../i18n/i18n'
import { When } from '../../../i18n/when'
import { AgentText } from '../../../ui/agent-text'
import { Alert } from '../../../ui/alert'
import { Button } from '../../../ui/button'
import { Notice } from '../../../ui/notice'
import { handsFocusOn } from '../../../ui/object-list/focus-home'
import { useTimeLeft } from '../../../ui/use-time-left'

/** The agents that a person stopped, each with the way back; nothing where there are none. */
export function StoppedAgents() {
  const { data: agents } = useLive('agents')
  return agents?.map((agent) => <StoppedAgent key={agent.id} agent={agent} />)
}

function StoppedAgent({ agent }: { agent: Agent }) {
  const { t, tx } = useI18n()
  const desk = useDesk()
  const left = useTimeLeft(agent.stoppedUntil)
  const { busy, error, run } = useAction(() => desk.resumeAgent(agent.id), { renews: ['agents'] })
  if (agent.stoppedUntil === null || left === 0) return null
  return (
    <Notice tone="care" icon="off" role="status">
      <p>{tx('approval.stoppedUntil', { agent: <AgentText>{agent.name}</AgentText>, time: <When at={agent.stoppedUntil} /> })}</p>
      <Button
        small
        ref={handsFocusOn}
        aria-disabled={busy} // it keeps the focus
        aria-label={t('approval.goOnOne', { agent: agent.name })}
        onClick={() => {
          if (!busy) void run()
        }}
      >
        {t('approval.goOn')}
      </Button>
      <Alert>{error && errorText(t, error)}</Alert>
    </Notice>
  )
}
