import type { RuleInput } from './operator'

/** How many rules. */
export const many = 10_000

/** Rules of each effect, some with a note. */
export const rules: readonly RuleInput[] = Array.from({ length: many }, (_, i) => ({
  id: `rule-${String(i)}`,
  serverId: `server-${String(i % 97)}`,
  toolName: `tool_${String(i)}`,
  effect: (['allow', 'ask', 'deny'] as const)[i % 3] ?? 'ask',
  priority: many - i,
  note: i % 10 === 0 ? `a note of ${String(i)}, long enough to take a line of its own below the badges of the rule` : '',
}))
