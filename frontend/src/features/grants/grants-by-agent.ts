import type { Grant } from '../../desk/types'
import type { Group } from '../../ui/object-list/entries'
import { tellApart } from '../../ui/tell-apart'

/** Live grants of one agent. */
export interface GrantGroup extends Group<Grant> {
  agentName: string
  /** The end of its id, where another agent has the same name. */
  end: string | undefined
  items: Grant[]
}

/** Grants by agent, in the order of the first of each. */
export function grantsByAgent(grants: readonly Grant[]): GrantGroup[] {
  const ends = tellApart(grants)
  const groups = new Map<string, GrantGroup>()
  for (const grant of grants) {
    const { agentId, agentName } = grant
    const group = groups.get(agentId)
    if (group) group.items.push(grant)
    else groups.set(agentId, { key: agentId, agentName, end: ends.get(agentId), items: [grant] })
  }
  return [...groups.values()]
}

export const grantKey = ({ id }: Grant): string => id
