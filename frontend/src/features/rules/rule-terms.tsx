import type { Ref } from 'react'
import { useToday } from '../../i18n/use-today'
import { moment } from '../../i18n/when'
import { DateField } from '../../ui/date-field'
import { localTime } from '../../ui/local-time'
import { ConditionFields, type ConditionHandle } from './condition-fields'
import type { RuleDraft } from './rule-draft'
import css from './rule-form.module.css'
import { useI18n } from './screen'

interface Props {
  ref: Ref<ConditionHandle>
  draft: RuleDraft
  errors: Partial<Record<string, string>>
  onChange: (part: Partial<RuleDraft>) => void
}

const hourMs = 3600 * 1000

const later = (ms: number) => localTime(new Date(Math.ceil((Date.now() + ms) / 60_000) * 60_000))

const presets = [
  ['rules.until.hour', () => later(hourMs)],
  ['rules.until.today', () => localTime(new Date(new Date().setHours(23, 59, 59, 0)))],
  ['rules.until.week', () => later(7 * 24 * hourMs)],
  ['rules.until.ever', () => ''],
] as const

/** What may narrow a rule further: a condition on the call, and an end. */
export function RuleTerms({ ref, draft, errors, onChange }: Props) {
  const { t, language } = useI18n()
  const today = useToday()
  const say = (at: string | null | undefined) => {
    if (at === null) return t('rules.until.said.ever')
    return at === undefined ? t('rules.formExpiresError') : t('rules.until', { time: moment(at, language, new Date(today)) })
  }
  return (
    <div className={css.terms}>
      <ConditionFields
        ref={ref}
        condition={draft.condition}
        error={errors.condition}
        onChange={(condition) => {
          onChange({ condition })
        }}
      />
      <DateField
        label={t('rules.formExpires')}
        form={t('rules.until.form')}
        value={draft.expiresAt}
        error={errors.expiresAt}
        presets={presets.map(([key, time]) => [t(key), time])}
        say={say}
        onChange={(expiresAt) => {
          onChange({ expiresAt })
        }}
      />
    </div>
  )
}
