import type { Rule, RuleExample } from '../../desk/types'
import { useI18n } from '../../i18n/i18n'
import { When } from '../../i18n/when'
import { AgentText } from '../../ui/agent-text'
import css from './rules-screen.module.css'

/** What else a rule says: its condition, its end and its examples. kept: it is shown in the form, which leaves it alone. */
export function RuleLimits({ rule, kept = false }: { rule: Rule; kept?: boolean }) {
  const { t, tx } = useI18n()
  if (rule.condition === null && rule.expiresAt === null && rule.examples.length === 0) return null
  return (
    <div className={css.limits}>
      {kept && <p>{t('rules.kept')}</p>}
      {rule.condition !== null && <p>{tx('rules.onlyIf', { condition: <AgentText as="path">{rule.condition}</AgentText> })}</p>}
      {rule.expiresAt !== null && <p>{tx('rules.until', { time: <When at={rule.expiresAt} /> })}</p>}
      {rule.examples.length > 0 && (
        <ul>
          {rule.examples.map(({ serverId, toolName, hasInput, decision }, i) => (
            // Examples have no name of their own, and keep their order.
            <li key={i}>
              {tx(`rules.must.${decision}`, { tool: <Called serverId={serverId} toolName={toolName} /> })}
              {hasInput && ` ${t('rules.exampleInput')}`}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function Called({ serverId, toolName }: Pick<RuleExample, 'serverId' | 'toolName'>) {
  return (
    <>
      {serverId !== null && (
        <>
          <AgentText>{serverId}</AgentText> ·{' '}
        </>
      )}
      <AgentText>{toolName}</AgentText>
    </>
  )
}
