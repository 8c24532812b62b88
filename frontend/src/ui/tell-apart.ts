import { isHidden } from './hidden-characters'
import { looksLike } from './look-alikes'

export interface Agent {
  agentId: string
  agentName: string
}

/** So many last letters of an id are shown at the least. */
const shortest = 4

/**
 * What tells agents apart that have the same name, or names that look the same: the end of each one's id, as long as it must
 * be. Ids begin alike when they were made at the same time. Agents whose names are their own are not in it.
 */
export function tellApart(agents: Iterable<Agent>): ReadonlyMap<string, string> {
  const byFace = new Map<string, Set<string>>()
  for (const { agentId, agentName } of agents) {
    const face = (looksLike(agentName, isHidden) ?? agentName).normalize('NFKC').toLowerCase().trim()
    byFace.set(face, (byFace.get(face) ?? new Set()).add(agentId))
  }
  const ends = new Map<string, string>()
  for (const ids of byFace.values()) {
    if (ids.size < 2) continue
    const all = [...ids]
    for (const id of all) ends.set(id, endOf(id, all))
  }
  return ends
}

function endOf(id: string, all: readonly string[]): string {
  for (let length = shortest; length < id.length; length++) {
    const end = id.slice(-length)
    if (all.filter((other) => other.endsWith(end)).length === 1) return end
  }
  return id
}
