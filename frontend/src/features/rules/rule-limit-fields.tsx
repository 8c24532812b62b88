import type { ChangeEvent } from 'react'
import { Field } from '../../ui/field'
import { Select } from '../../ui/select'
import type { RuleDraft } from './rule-draft'
import css from './rule-form.module.css'
import { useI18n } from './screen'

interface Props {
  draft: RuleDraft
  error: string | undefined
  onChange: (part: Partial<RuleDraft>) => void
}

const units = [
  ['seconds', 'rules.formLimitSeconds'],
  ['minutes', 'rules.formLimitMinutes'],
  ['hours', 'rules.formLimitHours'],
] as const

/** How many calls a rule allows, and in what time. */
export function RuleLimitFields({ draft, error, onChange }: Props) {
  const { t } = useI18n()
  return (
    <div>
      <div className={css.limit}>
        <Field
          label={t('rules.formLimit')}
          inputMode="numeric"
          value={draft.limitCalls}
          error={error}
          onChange={(e: ChangeEvent<HTMLInputElement>) => {
            onChange({ limitCalls: e.currentTarget.value })
          }}
        />
        <Field
          label={t('rules.formLimitTime')}
          inputMode="numeric"
          value={draft.limitTime}
          onChange={(e: ChangeEvent<HTMLInputElement>) => {
            onChange({ limitTime: e.currentTarget.value })
          }}
        />
        <Select
          label={t('rules.formLimitUnit')}
          value={draft.limitUnit}
          options={units.map(([unit, word]) => [unit, t(word)])}
          onChange={(limitUnit) => {
            onChange({ limitUnit })
          }}
        />
      </div>
      <p className={css.hint}>{t('rules.formLimitHint')}</p>
    </div>
  )
}
