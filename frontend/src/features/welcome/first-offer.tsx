import { useAnswer, useLoaded } from '../../desk/queries'
import type { Call, Offer } from '../../desk/types'
import { PastWords } from '../../i18n/past-words'
import { useClauseWords } from '../../i18n/use-clause-words'
import { useCoverageWords } from '../../i18n/use-coverage-words'
import { AgentText } from '../../ui/agent-text'
import { quote } from '../../ui/quote'
import { useI18n } from './part'
import css from './welcome.module.css'

/** A rule that would have let a call through without a question, in words. */
export function FirstOffer({ offer: { rule, covers, past }, call }: { offer: Offer; call: Call }) {
  const { t, tx } = useI18n()
  const { whole } = useCoverageWords(quote)
  return (
    <div className={css.offer}>
      <p>{tx('welcome.firstRule', { agent: <AgentText>{call.agentName}</AgentText> })}</p>
      <p className={css.rule}>{tx('welcome.allow', { what: whole(covers) })}</p>
      <p className={css.soft}>
        <PastWords past={past} />
      </p>
      {rule.condition != null && (
        <details className={css.soft}>
          <summary>{t('rules.says')}</summary>
          <Condition of={rule.condition} />
        </details>
      )}
    </div>
  )
}

/** Its condition in words; in CEL where it cannot be said in words. */
function Condition({ of }: { of: string }) {
  const { tx } = useI18n()
  const words = useClauseWords(quote, useLoaded('agents').data)
  const { data } = useAnswer(0, 'wordings', [[of]])
  return <p>{tx('rules.onlyIf', { condition: words.condition(of, data?.[0]) })}</p>
}
