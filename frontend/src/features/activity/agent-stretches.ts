import { commonLength } from '../../lists/common-length'
import { stretchesOf, type Group, type Stretches } from '../../ui/object-list/entries'
import { tellApart, type Agent } from '../../ui/tell-apart'
import type { Fold } from './fold'

/** Calls of one agent that follow each other. */
export interface AgentStretch extends Group<Fold> {
  agentName: string
  /** The end of its id, where another agent has the same name. */
  end: string | undefined
}

/** Calls in stretches, under the name of the agent of each. */
export interface AgentStretches {
  stretches: Stretches<Fold>
  /** By id and name: the agents of all stretches. */
  agents: ReadonlyMap<string, Agent>
  ends: ReadonlyMap<string, string>
  groups: readonly AgentStretch[]
}

/**
 * Calls in the order of time, under the name of each agent as long as no other one's come between. What was made before
 * stays, as far as the calls are the same from the first on.
 */
export function agentStretches(before: AgentStretches | null, folds: readonly Fold[]): AgentStretches {
  const stretches = stretchesOf(before?.stretches ?? null, folds, ({ newest }) => newest.agentId, ({ id }) => id)
  const same = before ? commonLength(before.stretches.groups, stretches.groups) : 0
  const isLonger = before && (same === before.groups.length || (same === before.groups.length - 1 && before.groups[same]?.key === stretches.groups[same]?.key))
  const agents = new Map(isLonger ? before.agents : []) // else some may have left
  for (const { items } of stretches.groups.slice(isLonger ? same : 0)) {
    const { agentId, agentName } = items[0]?.newest ?? { agentId: '', agentName: '' }
    agents.set(`${agentId} ${agentName}`, { agentId, agentName })
  }
  const ends = before && sameKeys(before.agents, agents) ? before.ends : tellApart(agents.values())
  const known = before?.groups.slice(0, same) ?? []
  const groups = ends === before?.ends ? known : known.map((group) => (endOf(group, ends) === group.end ? group : { ...group, end: endOf(group, ends) }))
  for (const stretch of stretches.groups.slice(groups.length)) {
    groups.push({ ...stretch, agentName: stretch.items[0]?.newest.agentName ?? '', end: endOf(stretch, ends) })
  }
  return { stretches, agents, ends, groups }
}

function endOf({ items }: Group<Fold>, ends: ReadonlyMap<string, string>): string | undefined {
  return ends.get(items[0]?.newest.agentId ?? '')
}

function sameKeys(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): boolean {
  return a.size === b.size && [...a.keys()].every((key) => b.has(key))
}
