import type { ChangeEvent, KeyboardEvent } from 'react'
import { Field } from '../../ui/field'
import type { RuleDraft } from './rule-draft'
import css from './rule-form.module.css'
import { useI18n } from './screen'

interface Props {
  draft: RuleDraft
  errors: Partial<Record<string, string>>
  onChange: (part: Partial<RuleDraft>) => void
}

/** What may narrow a rule further: a condition on the input, and an end. */
export function RuleTerms({ draft, errors, onChange }: Props) {
  const { t } = useI18n()
  // Enter saves here as in every field; a condition of several lines is written with Shift.
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    event.currentTarget.form?.requestSubmit()
  }
  return (
    <div className={css.terms}>
      <div className={css.condition}>
        <Field
          label={t('rules.formCondition')}
          hint={t('rules.formConditionHint')}
          lines={1}
          spellCheck={false}
          autoCapitalize="off"
          value={draft.condition}
          error={errors.condition}
          onKeyDown={onKeyDown}
          onChange={(e: ChangeEvent<HTMLTextAreaElement>) => {
            onChange({ condition: e.currentTarget.value })
          }}
        />
      </div>
      <Field
        label={t('rules.formExpires')}
        hint={t('rules.formExpiresHint')}
        type="datetime-local"
        value={draft.expiresAt}
        error={errors.expiresAt}
        onChange={(e: ChangeEvent<HTMLInputElement>) => {
          onChange({ expiresAt: e.currentTarget.value })
        }}
      />
    </div>
  )
}
