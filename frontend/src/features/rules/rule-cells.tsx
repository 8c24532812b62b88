import type { Rule } from '../../desk/types'
import { methodWord } from '../../i18n/method-word'
import { When } from '../../i18n/when'
import { AgentText } from '../../ui/agent-text'
import { EffectBadge } from './effect-badge'
import { anyWord, isReading } from './rule-draft'
import { RuleLimits } from './rule-limits'
import css from './rule-row.module.css'
import { RuleStates } from './rule-states'
import { useI18n } from './screen'

/** A rule in columns: what it says, of which server and tool, under which condition, and when it was last used. */
export function RuleCells({ rule, whole }: { rule: Rule; whole: boolean }) {
  const { t, tx } = useI18n()
  const hidden = (key: 'rules.col.where' | 'rules.col.what' | 'rules.col.pattern') => <span className="visually-hidden">{t(key)} </span>
  return (
    <div className={css.cells} data-whole={whole}>
      <div>
        <EffectBadge effect={rule.effect} />
      </div>
      <div className={css.cell}>
        {rule.serverId === null ? (
          <span className={css.any}>{t('rules.anyServer')}</span>
        ) : (
          <>
            {hidden('rules.col.where')}
            <AgentText>{rule.serverId}</AgentText>
          </>
        )}
      </div>
      <div className={css.cell}>
        <RuleStates rule={rule} />{' '}
        {isReading(rule) && <span className={css.any}>{methodWord(t, rule.method ?? '')} </span>}
        {rule.toolName !== null && (
          <>
            {hidden('rules.col.what')}
            <AgentText>{rule.toolName}</AgentText>
          </>
        )}
        {rule.toolPattern !== null && (
          <>
            {' '}
            {hidden('rules.col.pattern')}
            <AgentText>{rule.toolPattern}</AgentText>
          </>
        )}
        {rule.toolName === null && rule.toolPattern === null && <span className={css.any}>{t(anyWord(rule))}</span>}
        {!whole && <span className="visually-hidden"> {t('rules.priority', { priority: rule.priority })}</span>}
      </div>
      <div className={css.cell}>
        <RuleLimits rule={rule} />
        {rule.note !== '' && (
          <span className={css.note}>
            <AgentText as="prose">{rule.note}</AgentText>
          </span>
        )}
      </div>
      <div className={css.used}>
        {rule.hits > 0 && (
          <>
            <span className={whole ? undefined : 'visually-hidden'}>{t('rules.hits', { count: rule.hits })} · </span>
            {rule.lastHitAt !== null && (whole ? tx('rules.lastHit', { time: <When at={rule.lastHitAt} /> }) : <When at={rule.lastHitAt} />)}
          </>
        )}
      </div>
    </div>
  )
}
