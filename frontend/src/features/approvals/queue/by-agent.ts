import type { PendingCall } from '../../../desk/types'
import type { Group } from '../../../ui/object-list/entries'
import { tellApart } from '../../../ui/tell-apart'
import { grouped } from './grouped'

/** Calls of one agent, or of one of its sessions. */
export interface AgentGroup extends Group<PendingCall> {
  agentName: string
  /** The end of its id, where another agent has the same name. */
  end: string | undefined
  sessionId: string
  items: [PendingCall, ...PendingCall[]]
}

/** Waiting calls by a key of each, in the order of the first of each group. */
export function byAgent(items: readonly PendingCall[], keyOf: (call: PendingCall) => string): AgentGroup[] {
  const ends = tellApart(items)
  return [...grouped(items, keyOf)].map(([key, calls]) => {
    const [{ agentId, agentName, sessionId }] = calls
    return { key, items: calls, agentName, end: ends.get(agentId), sessionId }
  })
}

export const callKey = ({ id }: PendingCall): string => id
