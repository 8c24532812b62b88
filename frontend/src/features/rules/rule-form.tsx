import { useRef } from 'react'
import type { Rule, RuleForm as Form } from '../../desk/types'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { Check } from '../../ui/check'
import { Choice } from '../../ui/choice'
import type { ConditionHandle } from './condition-fields'
import { DraftReview } from './draft-review'
import type { RuleDraft } from './rule-draft'
import { RuleExamples } from './rule-examples'
import css from './rule-form.module.css'
import { RuleLimitFields } from './rule-limit-fields'
import { RuleTarget } from './rule-target'
import { RuleTerms } from './rule-terms'
import { useI18n } from './screen'
import { useRuleForm } from './use-rule-form'

interface Props {
  title: string
  /** The id that the rule has, or would have. */
  id: string
  /** Of the form, among those that are open. */
  formKey: string
  /** The rule as it was seen; null for a new one. */
  seen: Rule | null
  start: RuleDraft
  /** It was deleted while it is written. */
  gone?: boolean
  /** Fails with a DeskError; what is wrong with a field is shown at the field. */
  onSave: (form: Form) => Promise<void>
  onCancel: () => void
}

/** A rule being written, with what it would do. */
export function RuleForm({ title, id, formKey, seen, start, gone = false, onSave, onCancel }: Props) {
  const { t } = useI18n()
  const terms = useRef<ConditionHandle>(null)
  const { draft, change, rule, busy, errors, elsewhere, form } = useRuleForm({ formKey, seen, start, terms, onSave, onCancel })
  const options = (['allow', 'ask', 'deny'] as const).map((value) => ({ value, icon: value, label: t(`effect.${value}`) }))
  return (
    <form className={css.form} aria-label={title} {...form}>
      <fieldset className={css.whole} disabled={busy}>
        <h2 className={css.title}>{title}</h2>
        <Alert>{gone ? t('rules.goneSave') : elsewhere}</Alert>
        <RuleTarget draft={draft} errors={errors} onChange={change} />
        <RuleTerms ref={terms} draft={draft} errors={errors} onChange={change} />
        {draft.effect === 'allow' && <RuleLimitFields draft={draft} error={errors.limit} onChange={change} />}
        {seen && !gone && seen.examples.length > 0 && (
          <div className={css.limits}>
            <p>{t('rules.kept')}</p>
            <RuleExamples examples={seen.examples} />
          </div>
        )}
        <div className={css.row}>
          <Choice
            legend={t('rules.formEffect')}
            options={options}
            value={draft.effect}
            onChange={(effect) => {
              change({ effect })
            }}
          />
          <Check
            label={t('rules.formEnabled')}
            checked={draft.enabled}
            onChange={(enabled) => {
              change({ enabled })
            }}
          />
          <div className={css.actions}>
            <Button onClick={onCancel}>{t('common.cancel')}</Button>
            <Button type="submit" look="strong">
              {gone ? t('rules.saveNew') : t('common.save')}
            </Button>
          </div>
        </div>
        <p className={css.keys}>{t('rules.formKeys')}</p>
        <DraftReview
          id={id}
          form={rule}
          onSafe={(condition) => {
            change({ condition })
          }}
        />
      </fieldset>
    </form>
  )
}
