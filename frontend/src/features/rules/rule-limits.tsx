import type { Rule } from '../../desk/types'
import { When } from '../../i18n/when'
import { useLimitWords } from '../../i18n/use-limit-words'
import { AgentText } from '../../ui/agent-text'
import { RuleExamples } from './rule-examples'
import css from './rule-row.module.css'
import { useI18n } from './screen'

/** What else a rule says: its condition, its end, its limit and its examples. */
export function RuleLimits({ rule }: { rule: Rule }) {
  const { tx } = useI18n()
  const words = useLimitWords()
  if (rule.condition === null && rule.expiresAt === null && rule.limit === null && rule.examples.length === 0) return null
  return (
    <div className={css.limits}>
      {rule.condition !== null && <p>{tx('rules.onlyIf', { condition: <AgentText as="path">{rule.condition}</AgentText> })}</p>}
      {rule.expiresAt !== null && <p>{tx('rules.until', { time: <When at={rule.expiresAt} /> })}</p>}
      {rule.limit !== null && <p>{words.most(rule.limit)}</p>}
      <RuleExamples examples={rule.examples} />
    </div>
  )
}
