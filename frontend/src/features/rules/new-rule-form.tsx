import { useRef } from 'react'
import { useDesk } from '../../desk/desk-context'
import type { RuleForm as Form } from '../../desk/types'
import { isWriting } from '../../ui/is-writing'
import type { RuleDraft } from './rule-draft'
import { RuleForm } from './rule-form'
import { useAround } from './rules-context'
import { useI18n } from './screen'
import { single } from './undo-steps'

interface Props {
  /** Of the form, among those that are open. */
  formKey: string
  start: RuleDraft
  /** back: the focus was here, or is nowhere that it is needed. */
  onClose: (back: boolean) => void
}

/** A new rule that is being written. */
export function NewRuleForm({ formKey, start, onClose }: Props) {
  const { t } = useI18n()
  const desk = useDesk()
  const { known, changed, offer, go } = useAround()
  const form = useRef<HTMLDivElement>(null)
  let id = 'new-rule' // for looking at it: the desk names it when it is saved
  while (known.has(id)) id += '_'
  const close = () => {
    const at = document.activeElement
    onClose(!isWriting(at) || form.current?.contains(at) === true)
  }
  const create = async (rule: Form) => {
    const made = await desk.createRule(rule)
    close()
    offer(single({ kind: 'created', rule: made.rule }))
    await changed(made)
    go(made.rule.id, true)
  }
  return (
    <div ref={form}>
      <RuleForm title={t('rules.formNew')} id={id} formKey={formKey} seen={null} start={start} onSave={create} onCancel={close} />
    </div>
  )
}
