import type { ReactNode } from 'react'
import type { RuleForm } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { When } from '../../../i18n/when'
import { AgentText } from '../../../ui/agent-text'
import { Badge } from '../../../ui/badge'
import css from './rule-composer.module.css'

interface Props {
  form: RuleForm
  name: string
  chosen: boolean
  onChoose: () => void
  /** What more is said of the chosen one. */
  children: ReactNode
}

/** A rule that could be made: in words, and as the badges of the rules screen. */
export function RuleCandidate({ form, name, chosen, onChoose, children }: Props) {
  const { tx } = useI18n()
  const tool = form.toolName ?? form.toolPattern
  const names = { tool: <AgentText>{tool ?? ''}</AgentText>, server: <AgentText>{form.serverId ?? ''}</AgentText> }
  const which = form.toolName !== null ? 'tool' : form.toolPattern !== null ? 'pattern' : 'every'
  return (
    <div className={css.candidate} data-chosen={chosen}>
      <label className={css.pick}>
        <input type="radio" name={name} checked={chosen} onChange={onChoose} />
        <span className={css.words}>{tx(sentences[which][form.serverId === null ? 1 : 0], names)}</span>
      </label>
      <div className={css.more}>
        <Badges form={form} />
        {form.condition != null && <p>{tx('rules.onlyIf', { condition: <AgentText as="path">{form.condition}</AgentText> })}</p>}
        {form.expiresAt != null && <p>{tx('rules.until', { time: <When at={form.expiresAt} /> })}</p>}
        {children}
      </div>
    </div>
  )
}

/** On one server, and on any. */
const sentences = {
  tool: ['approval.ruleTool', 'approval.ruleToolAnywhere'],
  pattern: ['approval.rulePattern', 'approval.rulePatternAnywhere'],
  every: ['approval.ruleEvery', 'approval.ruleEveryAnywhere'],
} as const

function Badges({ form }: { form: RuleForm }) {
  const { t, tx } = useI18n()
  return (
    <div className={css.badges}>
      <Badge icon={form.effect} tone={form.effect}>
        {t(`effect.${form.effect}`)}
      </Badge>
      {form.serverId === null ? (
        <Badge icon="any">{t('rules.anyServer')}</Badge>
      ) : (
        <Badge icon="server">{tx('rules.server', { server: <AgentText>{form.serverId}</AgentText> })}</Badge>
      )}
      {form.toolName !== null && <Badge icon="tool">{tx('rules.tool', { tool: <AgentText>{form.toolName}</AgentText> })}</Badge>}
      {form.toolPattern !== null && (
        <Badge icon="pattern">{tx('rules.pattern', { pattern: <AgentText>{form.toolPattern}</AgentText> })}</Badge>
      )}
      {form.toolName === null && form.toolPattern === null && <Badge icon="any">{t('rules.anyTool')}</Badge>}
      <Badge icon="priority">{t('rules.priority', { priority: form.priority })}</Badge>
    </div>
  )
}
