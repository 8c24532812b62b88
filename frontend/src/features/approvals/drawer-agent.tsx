import type { RefObject } from 'react'
import type { PendingCall } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import type { Gesture } from './arming'
import { DrawerSession } from './drawer-session'
import { grouped } from './grouped'
import type { PendingQueue } from './pending-queue'
import css from './queue-drawer.module.css'
import type { QueueState } from './queue-state'

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
