import type { Call } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import css from './activity-screen.module.css'
import { useI18n } from './screen'

type Part = NonNullable<Call['why']['parts']>[number]

/** The parts of a call's line, each with what the rules said of it and the rule that decided. */
export function CallParts({ parts }: { parts: readonly Part[] }) {
  const { t, tx } = useI18n()
  const said = ({ decision, rule }: Part) => {
    if (rule) return tx('activity.rule', { rule: <AgentText>{rule.id}</AgentText> })
    return t(decision === 'allow' ? 'activity.partNeedsNone' : 'activity.partNoRule')
  }
  return (
    <ol className={css.parts} aria-label={t('activity.parts')}>
      {parts.map((part, i) => (
        <li key={i}>
          {part.name === '' ? t('activity.partUnknown') : <AgentText>{part.name}</AgentText>}
          {' · '}
          {t(`effect.${part.decision}`)}
          {' · '}
          {said(part)}
        </li>
      ))}
    </ol>
  )
}
