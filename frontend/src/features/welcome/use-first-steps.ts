import type { Desk } from '../../desk/desk'
import { useDeskData } from '../../desk/use-desk-data'

const kinds = ['servers.', 'agents.', 'rules.', 'call.']

export interface FirstSteps {
  servers: boolean
  agents: boolean
  rules: boolean
  /** Some call came in before. */
  calls: boolean
}

/** How far a new desk has come. */
const load = async (desk: Desk): Promise<FirstSteps> => {
  const [servers, agents, { rules }, { calls }] = await Promise.all([desk.servers(), desk.agents(), desk.rules(), desk.calls({ cursor: null })])
  return { servers: servers.length > 0, agents: agents.length > 0, rules: rules.length > 0, calls: calls.length > 0 }
}

export function useFirstSteps() {
  return useDeskData(load, kinds)
}
