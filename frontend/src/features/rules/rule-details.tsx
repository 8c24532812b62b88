import type { Rule } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import css from './rule-row.module.css'
import { useI18n } from './screen'

/** What of a rule stands in no column: its place among the priorities, and its condition as the judge reads it. */
export function RuleDetails({ rule }: { rule: Rule }) {
  const { t, tx } = useI18n()
  return (
    <div className={css.details}>
      <p>{t('rules.priority', { priority: rule.priority })}</p>
      {rule.condition !== null && <p>{tx('rules.inCEL', { condition: <AgentText as="path">{rule.condition}</AgentText> })}</p>}
    </div>
  )
}
