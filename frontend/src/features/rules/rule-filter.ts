import type { Effect, Rule } from '../../desk/types'
import { isExpired } from './rule-draft'

/** Which rules are looked for; what is empty or off does not matter. */
export interface RuleFilter {
  text: string
  effect: Effect | ''
  /** '' is all, '*' those for any server, '=name' those for one. */
  server: string
  /** Not used for thirty days. */
  unused: boolean
  /** Another rule says the same, or decides first whenever it applies. */
  shadowed: boolean
  /** Switched off, or over. */
  resting: boolean
}

export const noFilter: RuleFilter = { text: '', effect: '', server: '', unused: false, shadowed: false, resting: false }

const thirtyDaysMs = 30 * 24 * 3600 * 1000

export function isFiltering(filter: RuleFilter): boolean {
  return filter.text.trim() !== '' || filter.effect !== '' || filter.server !== '' || filter.unused || filter.shadowed || filter.resting
}

/** Whether a rule is looked for. shadowed are the ids of those that never decide; now is in milliseconds. */
export function wanted(filter: RuleFilter, shadowed: ReadonlySet<string>, now: number): (rule: Rule) => boolean {
  const words = filter.text.toLowerCase().split(/\s+/).filter((word) => word !== '')
  return (rule) =>
    (filter.effect === '' || rule.effect === filter.effect) &&
    (filter.server === '' || filter.server === (rule.serverId === null ? '*' : `=${rule.serverId}`)) &&
    (!filter.unused || now - Date.parse(rule.lastHitAt ?? rule.createdAt) > thirtyDaysMs) &&
    (!filter.shadowed || shadowed.has(rule.id)) &&
    (!filter.resting || !rule.enabled || isExpired(rule, now)) &&
    words.every((word) => textOf(rule).includes(word))
}

const texts = new WeakMap<Rule, string>()

/** What is searched of a rule. Kept, for each letter that is typed asks for all of them. */
function textOf(rule: Rule): string {
  const known = texts.get(rule)
  if (known !== undefined) return known
  const text = [rule.serverId, rule.method, rule.toolName, rule.toolPattern, rule.note, rule.id].join('\n').toLowerCase()
  texts.set(rule, text)
  return text
}
