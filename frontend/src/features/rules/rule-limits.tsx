import type { Rule } from '../../desk/types'
import { useLimitWords } from '../../i18n/use-limit-words'
import { When } from '../../i18n/when'
import { ConditionText } from './condition-text'
import { RuleExamples } from './rule-examples'
import css from './rule-row.module.css'
import { useI18n } from './screen'

interface Props {
  rule: Rule
  /** The rule is none of those that there are. */
  foreign?: boolean
}

/** What else a rule says: its condition, its end, its limit and its examples. */
export function RuleLimits({ rule, foreign = false }: Props) {
  const { tx } = useI18n()
  const words = useLimitWords()
  if (rule.condition === null && rule.expiresAt === null && rule.limit === null && rule.examples.length === 0) return null
  return (
    <div className={css.limits}>
      {rule.condition !== null && <p>{tx('rules.onlyIf', { condition: <ConditionText condition={rule.condition} ask={foreign} /> })}</p>}
      {rule.expiresAt !== null && <p>{tx('rules.until', { time: <When at={rule.expiresAt} /> })}</p>}
      {rule.limit !== null && <p>{words.most(rule.limit)}</p>}
      <RuleExamples examples={rule.examples} />
    </div>
  )
}
