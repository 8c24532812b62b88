import type { ReactNode } from 'react'
import type { Offer } from '../../desk/types'
import { PastWords } from '../../i18n/past-words'
import { Button } from '../../ui/button'
import { ConditionText } from './condition-text'
import { RuleBadges } from './rule-badges'
import { useI18n } from './screen'
import css from './suggestions.module.css'

interface Props {
  offer: Pick<Offer, 'rule' | 'past'>
  /** What it reaches, in words. */
  words: ReactNode
  children?: ReactNode
  onOpen: () => void
}

/** A rule that may be made: in words, with what it would have matched, and folded as it is. */
export function OfferRow({ offer: { rule, past }, words, children, onOpen }: Props) {
  const { t, tx } = useI18n()
  const condition = rule.condition ?? null
  return (
    <div className={css.suggestion}>
      <div className={css.what}>
        <p>{words}</p>
        <p className={css.condition}>
          <PastWords past={past} />
        </p>
        {children}
        <details className={css.condition}>
          <summary>{t('rules.says')}</summary>
          <RuleBadges rule={rule} />
          {condition !== null && <p>{tx('rules.onlyIf', { condition: <ConditionText condition={condition} ask /> })}</p>}
        </details>
      </div>
      <Button small onClick={onOpen}>
        {t('rules.suggestOpen')}
      </Button>
    </div>
  )
}
