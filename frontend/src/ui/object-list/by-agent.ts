import { grouped } from '../grouped'
import { tellApart, type Agent } from '../tell-apart'
import type { Group } from './entries'

/** Rows of one agent, or of one of its sessions. */
export interface AgentGroup<T> extends Group<T> {
  agentName: string
  /** The end of its id, where another agent has the same name. */
  end: string | undefined
  items: [T, ...T[]]
}

/** Items by agent, in the order of the first of each. */
export function byAgent<T extends Agent>(items: readonly T[]): AgentGroup<T>[] {
  const ends = tellApart(items)
  return [...grouped(items, ({ agentId }) => agentId)].map(([key, of]) => ({ key, items: of, agentName: of[0].agentName, end: ends.get(key) }))
}

/** The key of a row that has an id. */
export const idOf = <T extends { id: string }>({ id }: T): string => id
