import { useState, type RefObject } from 'react'
import { DeskError, faultAt } from '../../desk/desk-error'
import type { Rule, RuleForm } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { useForm, type Form } from '../../ui/use-form'
import type { ConditionHandle } from './condition-fields'
import { formOf, rebased, type RuleDraft } from './rule-draft'
import { useI18n } from './screen'

interface Options {
  /** Of the form, among those that are open. */
  formKey: string
  seen: Rule | null
  start: RuleDraft
  /** Asked before a rule is saved: what was written, and is not in the draft yet, is not lost. */
  terms: RefObject<ConditionHandle | null>
  onSave: (form: RuleForm) => Promise<void>
  onCancel: () => void
}

export interface RuleWriting extends Form<RuleDraft> {
  /** The rule as it is written now; null while it is none. */
  rule: RuleForm | null
  busy: boolean
}

const labels = {
  serverId: 'rules.formServer',
  method: 'rules.formMethod',
  toolName: 'rules.formTool',
  toolPattern: 'rules.formPattern',
  priority: 'rules.formPriority',
  note: 'rules.formNote',
  condition: 'rules.formCondition',
  expiresAt: 'rules.formExpires',
  limit: 'rules.formLimit',
} as const

const refusals = { priority: 'rules.formPriorityError', expiresAt: 'rules.formExpiresError', limit: 'rules.formLimitError' } as const

const fields = Object.keys(labels) as (keyof typeof labels)[]

/** A rule being written. Enter saves, Escape puts back what was; what the desk refuses is not lost. */
export function useRuleForm({ formKey, seen, start, terms, onSave, onCancel }: Options): RuleWriting {
  const { t } = useI18n()
  const saving = useAction(async (draft: RuleDraft) => {
    const condition = (await terms.current?.settled()) ?? draft.condition
    const made = formOf({ ...draft, condition }, seen)
    if (typeof made !== 'string') return onSave(made)
    const message = t(refusals[made])
    throw new DeskError({ code: 'invalid', fault: faultAt(made), message })
  })
  const words = (error: DeskError) => {
    if (error.fault?.code === '') return error.message
    if (error.code === 'lost_update') return t('rules.lost')
    const named = fields.find((field) => field === error.field)
    return error.code === 'not_found' ? t('rules.gone') : errorText(t, error, named && t(labels[named]))
  }
  const form = useForm({ start, sending: saving, onCancel, fields: () => fields, words, kept: `rule ${formKey}` })
  const [base, setBase] = useState(seen)
  if (seen !== base) {
    setBase(seen)
    if (seen && base) form.change(rebased(form.draft, base, seen))
  }
  const rule = formOf(form.draft, seen)
  return { ...form, rule: typeof rule === 'string' ? null : rule, busy: saving.busy }
}
