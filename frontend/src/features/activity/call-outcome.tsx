import type { Call } from '../../desk/types'
import { wordFor } from '../../i18n/error-text'
import { useCodeWords } from '../../i18n/use-code-words'
import { AgentText } from '../../ui/agent-text'
import css from './activity-screen.module.css'
import { useI18n } from './screen'

/** Who decided a call and why, how far the answer reached, and whether a person changed the input. */
export function CallOutcome({ call }: { call: Call }) {
  const { t, tx } = useI18n()
  const { decision } = call
  const words = useCodeWords('why')
  const { code, params, reason } = decision ?? call.why
  return (
    <p className={css.outcome}>
      {decision && (
        <span>
          {t('activity.decidedBy')}: {wordFor(t, 'activity.by', decision.by)}
        </span>
      )}
      {decision?.ruleId && <span>{tx('activity.rule', { rule: <AgentText>{decision.ruleId}</AgentText> })}</span>}
      {decision && decision.scope !== 'once' && <span>{wordFor(t, 'activity.scope', decision.scope)}</span>}
      {decision?.remembered && (
        <span>
          {decision.approved
            ? t('activity.round', { round: (decision.count ?? 0) + 1 })
            : t('activity.remembered', { count: decision.count })}
        </span>
      )}
      {call.original && <span>{t('activity.edited')}</span>}
      {reason !== '' && (
        <span>
          {t('activity.reason')}: {words.shown({ code, params, text: reason }, (text) => <AgentText as="prose">{text}</AgentText>)}
        </span>
      )}
    </p>
  )
}
