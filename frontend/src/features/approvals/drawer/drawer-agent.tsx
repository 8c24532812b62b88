import type { PendingCall } from '../../../desk/types'
import { AgentText } from '../../../ui/agent-text'
import { grouped } from '../queue/grouped'
import { DrawerSession, type DrawerProps } from './drawer-session'
import css from './drawer-list.module.css'

interface Props extends DrawerProps {
  /** All of one agent. */
  calls: [PendingCall, ...PendingCall[]]
}

/** What waits of one agent, by its sessions. */
export function DrawerAgent({ calls, ...rest }: Props) {
  const sessions = grouped(calls, (call) => call.sessionId)
  return (
    <section className={css.agent}>
      <h3 className={css.agentName}>
        <AgentText>{calls[0].agentName}</AgentText>
      </h3>
      {[...sessions.values()].map((theirs) => (
        <DrawerSession key={theirs[0].sessionId} calls={theirs} {...rest} />
      ))}
    </section>
  )
}
