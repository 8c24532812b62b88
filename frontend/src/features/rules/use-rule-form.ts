import { useState } from 'react'
import { DeskError } from '../../desk/desk-error'
import type { Rule, RuleForm } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { useForm, type Form } from '../../ui/use-form'
import { formOf, rebased, type RuleDraft } from './rule-draft'
import { useI18n } from './screen'

interface Options {
  /** Of the form, among those that are open. */
  formKey: string
  seen: Rule | null
  start: RuleDraft
  onSave: (form: RuleForm) => Promise<void>
  onCancel: () => void
}

export interface RuleWriting extends Form<RuleDraft> {
  /** The rule as it is written now; null while it is none. */
  rule: RuleForm | null
  busy: boolean
}

const fields = ['serverId', 'method', 'toolName', 'toolPattern', 'priority', 'note', 'condition', 'expiresAt', 'limit']

const refusals = { priority: 'rules.formPriorityError', expiresAt: 'rules.formExpiresError', limit: 'rules.formLimitError' } as const

/** A rule being written. Enter saves, Escape puts back what was; what the desk refuses is not lost. */
export function useRuleForm({ formKey, seen, start, onSave, onCancel }: Options): RuleWriting {
  const { t } = useI18n()
  const saving = useAction(async (draft: RuleDraft) => {
    const made = formOf(draft, seen)
    if (typeof made !== 'string') return onSave(made)
    const message = t(refusals[made])
    throw new DeskError({ code: 'invalid', field: made, message })
  })
  const words = ({ code, field, message }: DeskError) => {
    if (field !== undefined && fields.includes(field)) return message
    if (code === 'lost_update') return t('rules.lost')
    return code === 'not_found' ? t('rules.gone') : errorText(t, { code, message })
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
