import { memo, useRef, useState } from 'react'
import type { Finding, Rule } from '../../desk/types'
import { isWriting } from '../../ui/is-writing'
import { allowsEverything, isExpired, ruleName } from './rule-draft'
import { EditedRule } from './edited-rule'
import { FindingList } from './finding-list'
import { RowActions } from './row-actions'
import { RuleCells } from './rule-cells'
import { RuleDetails } from './rule-details'
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
  /** Chosen, to be changed together with others. */
  picked: boolean
  grabbed: boolean
  dragged: boolean
  /** What is dragged would be dropped right before it. */
  dropHere: boolean
  handle: HandleEvents
  /** Begins an edit of the rule, takes it as seen anew, or ends it. */
  onEdit: (id: string, seen: Rule | null) => void
  onDelete: (rule: Rule) => void
  onPick: (id: string, on: boolean) => void
}

/** One rule; edited where it stands. */
export const RuleRow = memo(function RuleRow(props: Props) {
  const { rule, place, findings, edited, marked, picked, grabbed, dragged, dropHere, handle, onEdit, onDelete, onPick } = props
  const { t } = useI18n()
  const { known } = useAround()
  const [back, setBack] = useState(false)
  const [whole, setWhole] = useState(false)
  const [now] = useState(() => Date.now())
  const [safe, setSafe] = useState<string | null>(null)
  const form = useRef<HTMLDivElement>(null)
  const gone = !known.has(rule.id)
  const name = ruleName(rule, t('rules.anyServer'), t('rules.anyTool'))
  // A badge says it already.
  const told: Partial<Record<string, boolean>> = {
    allows_all: allowsEverything(rule),
    name_and_pattern: rule.toolName !== null && rule.toolPattern !== null,
    expired: isExpired(rule, now),
  }
  const odd = findings.filter(({ kind }) => told[kind] !== true)
  const edit = (condition: string | null) => {
    setSafe(condition)
    onEdit(rule.id, rule)
  }
  const close = () => {
    const at = document.activeElement
    setBack(!isWriting(at) || form.current?.contains(at) === true) // to the button that led away, unless somebody writes elsewhere already
    onEdit(rule.id, null)
  }
  if (edited) {
    return (
      <div ref={form} className={css.edited} data-drop={dropHere}>
        <EditedRule rule={rule} edited={edited} safe={safe} gone={gone} onSeen={(seen) => { onEdit(rule.id, seen) }} onClose={close} />
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
      <input
        type="checkbox"
        className={css.pick}
        aria-label={t('rules.pickOne', { rule: name })}
        checked={picked}
        onChange={(e) => {
          onPick(rule.id, e.currentTarget.checked)
        }}
      />
      <RuleCells rule={rule} whole={whole} />
      <RowActions
        name={name}
        whole={whole}
        back={back}
        onWhole={() => {
          setWhole(!whole)
        }}
        onEdit={() => {
          edit(null)
        }}
        onDelete={() => {
          onDelete(rule)
        }}
      />
      {whole && <RuleDetails rule={rule} />}
      {odd.length > 0 && (
        <div className={css.odd}>
          <FindingList findings={odd} onSafe={edit} />
        </div>
      )}
    </div>
  )
})
