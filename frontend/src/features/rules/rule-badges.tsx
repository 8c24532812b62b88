import type { RuleForm } from '../../desk/types'
import { methodWord } from '../../i18n/method-word'
import { AgentText } from '../../ui/agent-text'
import { Badge } from '../../ui/badge'
import { EffectBadge } from './effect-badge'
import css from './rule-badges.module.css'
import { anyWord, isReading } from './rule-draft'
import { RuleStates } from './rule-states'
import { useI18n } from './screen'

/** A rule as badges: what it says, of which server and tool, how early it is judged. */
export function RuleBadges({ rule }: { rule: RuleForm }) {
  const { t, tx } = useI18n()
  return (
    <div className={css.badges}>
      <span className={css.effect}>
        <EffectBadge effect={rule.effect} />
      </span>
      {rule.serverId === null ? (
        <Badge icon="any">{t('rules.anyServer')}</Badge>
      ) : (
        <Badge icon="server">{tx('rules.server', { server: <AgentText>{rule.serverId}</AgentText> })}</Badge>
      )}
      {isReading(rule) && <Badge icon="any">{methodWord(t, rule.method ?? '')}</Badge>}
      {rule.toolName !== null && <Badge icon="tool">{tx('rules.tool', { tool: <AgentText>{rule.toolName}</AgentText> })}</Badge>}
      {rule.toolPattern !== null && (
        <Badge icon="pattern">{tx('rules.pattern', { pattern: <AgentText>{rule.toolPattern}</AgentText> })}</Badge>
      )}
      {rule.toolName === null && rule.toolPattern === null && <Badge icon="any">{t(anyWord(rule))}</Badge>}
      <Badge icon="priority">{t('rules.priority', { priority: rule.priority })}</Badge>
      <RuleStates rule={rule} />
    </div>
  )
}
