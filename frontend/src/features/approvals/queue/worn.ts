/** When a person has declined one tool of a session so often that its calls are one card. */
import type { DeclinedTool, PendingCall } from '../../../desk/types'

/** How long "decline all of this kind" lasts. */
export const quietSeconds = 900

type ToolOfSession = Pick<PendingCall, 'agentId' | 'sessionId' | 'serverId' | 'method' | 'toolName'>

/** Names a tool in the session of an agent. */
export function wornKey({ agentId, sessionId, serverId, method, toolName }: ToolOfSession): string {
  return JSON.stringify([agentId, sessionId, serverId, method, toolName])
}

/**
 * The tools whose waiting calls are one card, by their keys, with how often each was declined:
 * what the desk says, until none of its calls waits, but not what is looked at one by one.
 */
export function wornTools(
  items: readonly PendingCall[],
  declined: readonly DeclinedTool[],
  worn: ReadonlyMap<string, number>,
  singly: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const waiting = new Set(items.map(wornKey))
  const said = new Map([...worn, ...declined.map((tool) => [wornKey(tool), tool.count] as const)])
  return new Map([...said].filter(([key]) => waiting.has(key) && !singly.has(key)))
}
