import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'
import type { Rule, RuleForm as Form } from '../../desk/types'
import { changesOf, draftOf } from './rule-draft'
import { RuleForm } from './rule-form'
import { useAround } from './rules-context'
import { useI18n } from './screen'
import { single } from './undo-steps'

interface Props {
  rule: Rule
  /** The rule as it was when its edit began. */
  edited: Rule
  /** Another condition to begin with; null is its own. */
  safe: string | null
  /** It was deleted meanwhile. */
  gone: boolean
  /** Takes the rule as it is now as seen. */
  onSeen: (rule: Rule) => void
  onClose: () => void
}

/** A rule that is edited where it stands. */
export function EditedRule({ rule, edited, safe, gone, onSeen, onClose }: Props) {
  const { t } = useI18n()
  const desk = useDesk()
  const { changed, offer, go } = useAround()
  const save = async (form: Form) => {
    try {
      const saved = gone
        ? await desk.createRule({ ...form, id: rule.id })
        : await desk.updateRule(rule.id, changesOf(form, edited), edited.updatedAt)
      onClose()
      offer(single(gone ? { kind: 'created', rule: saved.rule } : { kind: 'edited', rule: edited, now: saved.rule }))
      await changed(saved)
      go(rule.id, true) // it may stand elsewhere now
    } catch (error) {
      if (DeskError.from(error).code === 'lost_update') await look()
      if (DeskError.from(error).code === 'not_found') await changed()
      throw error
    }
  }
  // What is written stays; saving again then means the rule as it is now.
  const look = async () => {
    const now = (await desk.rules()).rules.find((r) => r.id === rule.id)
    if (now) onSeen(now)
    await changed()
  }
  return (
    <RuleForm
      title={t('rules.formEdit')}
      id={rule.id}
      formKey={rule.id}
      seen={edited}
      start={safe === null ? draftOf(edited) : { ...draftOf(edited), condition: safe }}
      gone={gone}
      onSave={save}
      onCancel={onClose}
    />
  )
}
