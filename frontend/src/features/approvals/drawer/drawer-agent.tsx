import type { RefObject } from 'react'
import type { PendingCall } from '../../../desk/types'
import { AgentText } from '../../../ui/agent-text'
import type { Gesture } from '../answer/arming'
import { grouped } from '../queue/grouped'
import type { PendingQueue } from '../queue/pending-queue'
import type { QueueState } from '../queue/queue-state'
import { DrawerSession } from './drawer-session'
import css from './queue-drawer.module.css'

interface Props {
  /** All of one agent. */
  calls: [PendingCall, ...PendingCall[]]
  queue: PendingQueue
  state: QueueState
  shown: PendingCall
  /** Where the focus goes when what had it is no more. */
  back: RefObject<HTMLButtonElement | null>
  trusts?: (event: Gesture) => boolean
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
