// Rules of the design study's configuration, translated into the desk's rules document.

/** A rule as the design study writes it. The first one that matches decides. */
export interface ToolPermissionRule {
  toolName?: string
  pattern?: string
  serverId?: string
  autoApprove: boolean
  /** CEL, as the desk reads it; a JavaScript function is refused. */
  condition?: string
}

export interface ToolPermissionConfig {
  defaultAutoApprove: boolean
  rules: ToolPermissionRule[]
}

/** A rule of a document for `POST /v1/policy/import`. */
export interface DocumentRule {
  id: string
  toolName: string | null
  toolPattern: string | null
  serverId: string | null
  effect: 'allow' | 'ask'
  autoApprove: boolean
  priority: number
  condition: string | null
  note: string
}

export interface RulesDocument {
  format: 'sekisho.rules'
  version: 1
  rules: DocumentRule[]
}

const page = 'docs/sdk.md, "A configuration of your own"'

/**
 * Makes a rules document of a configuration. It changes nothing at the desk: a person imports the
 * document, and accepts each new allow rule by its id.
 */
export function importConfig(config: ToolPermissionConfig): RulesDocument {
  if (typeof config.defaultAutoApprove !== 'boolean') {
    throw new TypeError('defaultAutoApprove is not true or false')
  }
  const rules: DocumentRule[] = []
  type Names = Partial<ToolPermissionRule>
  const add = (id: string, from: Names, effect: 'allow' | 'ask', at: number) =>
    rules.push({
      id,
      toolName: from.toolName ?? null,
      toolPattern: from.pattern ?? null,
      serverId: from.serverId ?? null,
      effect,
      autoApprove: effect === 'allow',
      priority: at,
      condition: from.condition ?? null,
      note: '',
    })
  config.rules.forEach((rule, i) => {
    const id = `config-${i + 1}`
    const at = 2 * (config.rules.length - i)
    const { condition, ...names } = rule
    if (condition !== undefined && typeof condition !== 'string') {
      throw new TypeError(
        `rules[${i}].condition is a ${typeof condition}: write it in CEL, as ${page} shows`,
      )
    }
    if (typeof rule.autoApprove !== 'boolean') {
      throw new TypeError(`rules[${i}].autoApprove is not true or false`)
    }
    if (rule.toolName != null && rule.pattern != null) {
      throw new TypeError(`rules[${i}] has a toolName and a pattern: write a rule for each`)
    }
    // There a rule with autoApprove false asked whatever its condition said.
    if (!rule.autoApprove) return void add(id, names, 'ask', at)
    add(id, rule, 'allow', at)
    // There a matched rule whose condition was false asked, and no later rule was looked at.
    if (condition !== undefined) add(`${id}-else`, names, 'ask', at - 1)
  })
  add('config-default', {}, config.defaultAutoApprove ? 'allow' : 'ask', 0)
  return { format: 'sekisho.rules', version: 1, rules }
}
