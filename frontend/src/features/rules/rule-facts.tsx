import { useState } from 'react'
import type { Finding, Rule } from '../../desk/types'
import { When } from '../../i18n/when'
import { AgentText } from '../../ui/agent-text'
import { FindingList } from './finding-list'
import { RuleBadges } from './rule-badges'
import { allowsEverything, isExpired } from './rule-draft'
import { RuleLimits } from './rule-limits'
import css from './rule-row.module.css'
import { useI18n } from './screen'

/** What a rule says, how it was used, and what is odd about it. */
export function RuleFacts({ rule, findings, onSafe }: { rule: Rule; findings: readonly Finding[]; onSafe: (condition: string) => void }) {
  const { t, tx } = useI18n()
  const [now] = useState(() => Date.now())
  // A badge says it already.
  const told: Partial<Record<string, boolean>> = {
    allows_all: allowsEverything(rule),
    name_and_pattern: rule.toolName !== null && rule.toolPattern !== null,
    expired: isExpired(rule, now),
  }
  return (
    <div className={css.what}>
      <RuleBadges rule={rule} />
      <RuleLimits rule={rule} />
      {rule.note !== '' && (
        <p className={css.note}>
          <AgentText as="prose">{rule.note}</AgentText>
        </p>
      )}
      {rule.hits > 0 && (
        <p className={css.hits}>
          {t('rules.hits', { count: rule.hits })}
          {rule.lastHitAt !== null && <> · {tx('rules.lastHit', { time: <When at={rule.lastHitAt} /> })}</>}
        </p>
      )}
      <FindingList findings={findings.filter(({ kind }) => !told[kind])} onSafe={onSafe} />
    </div>
  )
}
