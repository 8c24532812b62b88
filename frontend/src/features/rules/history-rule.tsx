import type { ReactNode } from 'react'
import type { RuleForm } from '../../desk/types'
import { Button } from '../../ui/button'
import { ConditionText } from './condition-text'
import css from './history.module.css'
import { RuleBadges } from './rule-badges'
import { useI18n } from './screen'

interface Props {
  rule: RuleForm | null
  onOpen: (form: RuleForm) => void
  children: ReactNode
}

/** What a history says of some calls, and a rule about them that can be opened as a draft; null is none. */
export function HistoryRule({ rule, onOpen, children }: Props) {
  const { t, tx } = useI18n()
  const condition = rule?.condition ?? null
  return (
    <div className={css.row}>
      <div className={css.what}>
        {children}
        {rule && <RuleBadges rule={rule} />}
        {condition !== null && (
          <details className={css.soft}>
            <summary>{t('rules.pastCondition')}</summary>
            <p>{tx('rules.onlyIf', { condition: <ConditionText condition={condition} ask /> })}</p>
          </details>
        )}
      </div>
      {rule && (
        <Button
          small
          onClick={() => {
            onOpen(rule)
          }}
        >
          {t('rules.suggestOpen')}
        </Button>
      )}
    </div>
  )
}
