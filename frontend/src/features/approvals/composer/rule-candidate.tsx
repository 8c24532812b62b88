import type { ReactNode } from 'react'
import type { Offer } from '../../../desk/types'
import { useAnswer, useLoaded } from '../../../desk/queries'
import { useI18n } from '../../../i18n/i18n'
import { PastWords } from '../../../i18n/past-words'
import { useClauseWords } from '../../../i18n/use-clause-words'
import { useCoverageWords } from '../../../i18n/use-coverage-words'
import { quote } from '../../../ui/quote'
import css from './rule-choice.module.css'

interface Props {
  offer: Offer
  name: string
  chosen: boolean
  onChoose: () => void
  /** What more is said of the chosen one. */
  children: ReactNode
}

/** A rule that could be made: in words, with what it would have matched, and folded its condition. */
export function RuleCandidate({ offer: { rule, covers, past }, name, chosen, onChoose, children }: Props) {
  const { t } = useI18n()
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
          {rule.condition != null && <CandidateCondition condition={rule.condition} />}
          <p>{t('rules.priority', { priority: rule.priority })}</p>
        </details>
      </div>
    </div>
  )
}

/** Its condition in words; in CEL where it cannot be said in words. */
function CandidateCondition({ condition }: { condition: string }) {
  const { tx } = useI18n()
  const words = useClauseWords(quote, useLoaded('agents').data)
  const { data } = useAnswer(0, 'wordings', [[condition]])
  return <p>{tx('rules.onlyIf', { condition: words.condition(condition, data?.[0]) })}</p>
}
