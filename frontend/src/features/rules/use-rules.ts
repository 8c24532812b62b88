import type { Desk } from '../../desk/desk'
import type { Rule } from '../../desk/types'
import { useDeskData, type DeskData } from '../../desk/use-desk-data'

/** The rules as the desk judges them now. */
export function useRules(): DeskData<Rule[]> {
  return useDeskData(loadRules, kinds)
}

const kinds = ['rules.', 'call.decided']

async function loadRules(desk: Desk): Promise<Rule[]> {
  return (await desk.rules()).rules
}

/** The names of the known servers, to choose from while writing a rule. */
export function useServerIds(): string[] {
  return useDeskData(loadServerIds, serverKinds).data ?? []
}

const serverKinds = ['servers.']

async function loadServerIds(desk: Desk): Promise<string[]> {
  return (await desk.servers()).map((server) => server.id)
}
