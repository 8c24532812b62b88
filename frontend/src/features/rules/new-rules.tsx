import { useDesk } from '../../desk/desk-context'
import type { RuleForm as Form } from '../../desk/types'
import { useI18n } from '../../i18n/i18n'
import type { RuleDraft } from './rule-draft'
import { RuleForm } from './rule-form'
import { useAround } from './rules-context'

/** A new rule that is being written. */
export interface NewRule {
  key: number
  start: RuleDraft
}

interface Props {
  drafts: readonly NewRule[]
  onClose: (key: number) => void
}

/** The new rules that are being written: one form each. */
export function NewRules({ drafts, onClose }: Props) {
  const { t } = useI18n()
  const desk = useDesk()
  const { known, changed, go } = useAround()
  let id = 'new-rule' // for looking at it: the desk names it when it is saved
  while (known.has(id)) id += '_'
  const create = async (key: number, form: Form) => {
    const made = await desk.createRule(form)
    onClose(key)
    await changed(made)
    go(made.rule.id, true)
  }
  return drafts.map(({ key, start }) => (
    <RuleForm
      key={key}
      title={t('rules.formNew')}
      id={id}
      seen={null}
      start={start}
      onSave={(form) => create(key, form)}
      onCancel={() => {
        onClose(key)
      }}
    />
  ))
}
