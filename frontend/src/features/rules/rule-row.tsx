import { memo, useRef, useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'
import type { Finding, Rule, RuleForm as Form } from '../../desk/types'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import { isWriting } from '../../ui/is-writing'
import { changesOf, draftOf, ruleName } from './rule-draft'
import { RuleFacts } from './rule-facts'
import { RuleForm } from './rule-form'
import { RuleHandle } from './rule-handle'
import css from './rule-row.module.css'
import { useAround } from './rules-context'
import { useI18n } from './screen'
import type { HandleEvents } from './use-reorder'

interface Props {
  rule: Rule
  place: number
  findings: readonly Finding[]
  /** The rule as it was when its edit began; null while it is only shown. */
  edited: Rule | null
  marked: boolean
  grabbed: boolean
  dragged: boolean
  /** What is dragged would be dropped right before it. */
  dropHere: boolean
  handle: HandleEvents
  /** Begins an edit of the rule, takes it as seen anew, or ends it. */
  onEdit: (id: string, seen: Rule | null) => void
  onDelete: (rule: Rule) => void
}

/** One rule; edited where it stands. */
export const RuleRow = memo(function RuleRow(props: Props) {
  const { rule, place, findings, edited, marked, grabbed, dragged, dropHere, handle, onEdit, onDelete } = props
  const { t } = useI18n()
  const desk = useDesk()
  const { known, changed, go } = useAround()
  const [back, setBack] = useState(false)
  const [safe, setSafe] = useState<string | null>(null)
  const form = useRef<HTMLDivElement>(null)
  const gone = !known.has(rule.id)
  const name = ruleName(rule, t('rules.anyServer'), t('rules.anyTool'))
  const edit = (condition: string | null) => {
    setSafe(condition)
    onEdit(rule.id, rule)
  }
  const close = () => {
    const at = document.activeElement
    setBack(!isWriting(at) || form.current?.contains(at) === true) // to the button that led away, unless somebody writes elsewhere already
    onEdit(rule.id, null)
  }
  const save = async (form: Form, seen: Rule) => {
    try {
      const saved = gone
        ? await desk.createRule({ ...form, id: rule.id })
        : await desk.updateRule(rule.id, changesOf(form, seen), seen.updatedAt)
      close()
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
    if (now) onEdit(rule.id, now)
    await changed()
  }
  if (edited) {
    return (
      <div ref={form} className={css.edited} data-drop={dropHere}>
        <RuleForm
          title={t('rules.formEdit')}
          id={rule.id}
          formKey={rule.id}
          seen={edited}
          start={safe === null ? draftOf(edited) : { ...draftOf(edited), condition: safe }}
          gone={gone}
          onSave={(form) => save(form, edited)}
          onCancel={close}
        />
      </div>
    )
  }
  return (
    <div
      className={css.rule}
      tabIndex={-1}
      data-rule={rule.id}
      data-off={!rule.enabled}
      data-marked={marked}
      data-held={grabbed || dragged}
      data-drop={dropHere}
    >
      <RuleHandle id={rule.id} name={name} place={place} grabbed={grabbed} events={handle} />
      <RuleFacts rule={rule} findings={findings} onSafe={edit} />
      <div className={css.actions}>
        <Button
          look="quiet"
          small
          autoFocus={back}
          aria-label={t('rules.editOne', { rule: name })}
          onClick={() => {
            edit(null)
          }}
        >
          <Icon name="edit" /> {t('common.edit')}
        </Button>
        <Button
          look="quiet"
          small
          aria-label={t('rules.deleteOne', { rule: name })}
          onClick={() => {
            onDelete(rule)
          }}
        >
          <Icon name="trash" /> {t('common.delete')}
        </Button>
      </div>
    </div>
  )
})
