import type { ReactNode } from 'react'
import type { Offer, RuleForm } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { PastWords } from '../../../i18n/past-words'
import { useCoverageWords } from '../../../i18n/use-coverage-words'
import { When } from '../../../i18n/when'
import { AgentText } from '../../../ui/agent-text'
import { Badge } from '../../../ui/badge'
import css from './rule-composer.module.css'

interface Props {
  offer: Offer
  name: string
  chosen: boolean
  onChoose: () => void
  /** What more is said of the chosen one. */
  children: ReactNode
}

/** A rule that could be made: in words, with what it would have matched, and folded as the rules screen has it. */
export function RuleCandidate({ offer: { rule, covers, past }, name, chosen, onChoose, children }: Props) {
  const { t, tx } = useI18n()
  const { whole } = useCoverageWords(quote)
  return (
    <div className={css.candidate} data-chosen={chosen}>
      <label className={css.pick}>
        <input type="radio" name={name} checked={chosen} onChange={onChoose} />
        <span className={css.words}>{whole(covers)}</span>
      </label>
      <div className={css.more}>
        <p className={css.counts}>
          <PastWords past={past} />
        </p>
        {children}
        <details>
          <summary>{t('rules.says')}</summary>
          <Badges form={rule} />
          {rule.condition != null && <p>{tx('rules.onlyIf', { condition: <AgentText as="path">{rule.condition}</AgentText> })}</p>}
          {rule.expiresAt != null && <p>{tx('rules.until', { time: <When at={rule.expiresAt} /> })}</p>}
        </details>
      </div>
    </div>
  )
}

const quote = (text: string, as?: 'path') => <AgentText as={as ?? 'name'}>{text}</AgentText>

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
