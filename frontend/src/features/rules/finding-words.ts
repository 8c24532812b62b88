/** Words of ours for a rule that decides nothing, and what the desk says of its name. */
export interface IdleWords {
  key: 'rules.idle.server' | 'rules.idle.tool' | 'rules.idle.spelled'
  issue: string
}

const badName = /^the (server|tool) name (.+): only a deny rule decides calls with such a name$/
const names = { server: 'rules.idle.server', tool: 'rules.idle.tool' } as const
const spelled = 'stronger rules decide every spelling of the one name that this rule applies to'

/** Why a rule decides nothing though no one other rule comes before it, by the desk's own words for it; null where we have none. */
export function idleWords(message: string): IdleWords | null {
  if (message === spelled) return { key: 'rules.idle.spelled', issue: '' }
  const [, whose, issue = ''] = badName.exec(message) ?? []
  return whose === 'server' || whose === 'tool' ? { key: names[whose], issue } : null
}
