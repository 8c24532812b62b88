/** When an agent's calls are too many to be asked one after the other. */
import type { PendingCall, Risk } from '../../../desk/types'
import { grouped } from '../../../ui/grouped'

/** More of one agent that wait are a flood. */
export const manyCalls = 20

/** As many within burstMs are one too. */
export const burstCalls = 10
export const burstMs = 2000

/** The agents whose calls are folded: those of a flood, until none of them waits, but not what is looked at one by one. */
export function foldedAgents(
  items: readonly PendingCall[],
  folded: ReadonlySet<string>,
  unfolded: ReadonlySet<string>,
): ReadonlySet<string> {
  const agents = [...grouped(items, (call) => call.agentId)].filter(
    ([agentId, calls]) => !unfolded.has(agentId) && (folded.has(agentId) || isFlood(calls)),
  )
  return new Set(agents.map(([agentId]) => agentId))
}

export function isFlood(calls: readonly PendingCall[]): boolean {
  if (calls.length > manyCalls) return true
  const times = calls.map((call) => Date.parse(call.createdAt)).sort((a, b) => a - b)
  return times.some((first, i) => (times[i + burstCalls - 1] ?? Infinity) - first <= burstMs)
}

/** Calls of one tool among many. */
export interface ToolGroup {
  key: string
  toolName: string
  serverId: string | null
  items: readonly PendingCall[]
  /** The highest of theirs. */
  risk: Risk
}

const rank = { low: 0, medium: 1, high: 2 }

export function riskRank(risk: Risk): number {
  return rank[risk]
}

/** Many calls by their tools, the most frequent first. */
export function toolGroups(calls: readonly PendingCall[]): ToolGroup[] {
  const byTool = grouped(calls, ({ serverId, toolName }) => JSON.stringify([serverId, toolName]))
  return [...byTool].map(([key, items]) => group(key, items)).sort((a, b) => b.items.length - a.items.length)
}

function group(key: string, items: [PendingCall, ...PendingCall[]]): ToolGroup {
  const [{ toolName, serverId, risk }] = items
  const highest = items.reduce((high, call) => (rank[call.risk] > rank[high] ? call.risk : high), risk)
  return { key, toolName, serverId, items, risk: highest }
}
