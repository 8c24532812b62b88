import { useImperativeHandle, useState, type KeyboardEvent, type Ref } from 'react'
import { useLoaded } from '../../desk/queries'
import type { Clause } from '../../desk/types'
import { Button } from '../../ui/button'
import { Combobox } from '../../ui/combobox'
import { Field } from '../../ui/field'
import { Icon } from '../../ui/icon'
import { Select } from '../../ui/select'
import { clauseKinds, clauseOf, usualMembers, type ClauseKind } from './clause-kinds'
import css from './condition-fields.module.css'
import { useI18n } from './screen'

export interface ClauseAdderHandle {
  /** What is written and not added yet. */
  written: Clause | null
  clear: () => void
}

interface Props {
  ref: Ref<ClauseAdderHandle>
  /** Something is being added or taken away. */
  busy: boolean
  /** Nothing can be added. What is written already can still be taken back. */
  closed: boolean
  /** True when it was taken. */
  onAdd: (clause: Clause) => Promise<boolean>
}

/** Narrows a rule by one thing more. */
export function ClauseAdder({ ref, busy, closed, onAdd }: Props) {
  const { t } = useI18n()
  const agents = useLoaded('agents').data ?? []
  const [kind, setKind] = useState<ClauseKind>('file')
  const [member, setMember] = useState(usualMembers.file[0] ?? '')
  const [text, setText] = useState('')
  const choices: readonly (readonly [string, string])[] | null =
    kind === 'risk'
      ? [['', '–'], ['low', t('rules.narrow.low')], ['medium', t('rules.narrow.medium')]]
      : kind === 'agent'
        ? [['', '–'], ...agents.map(({ id, name }) => [id, name] as const)]
        : null
  const clause = clauseOf(kind, member, text)
  const disabled = busy || (closed && text === '')
  const open = clause !== null && !busy && !closed
  useImperativeHandle(ref, () => ({
    written: clause,
    clear: () => {
      setText('')
    },
  }))
  const add = async () => {
    if (clause && (await onAdd(clause))) setText('')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || !(event.target instanceof HTMLInputElement) || !open) return
    event.preventDefault() // what is written here is added; the next Enter saves the rule
    void add()
  }
  return (
    <div className={css.adder} role="group" aria-label={t('rules.narrow.add')} onKeyDown={onKeyDown}>
      <Select
        label={t('rules.narrow.kind')}
        value={kind}
        disabled={disabled}
        options={clauseKinds.map((name) => [name, t(`rules.narrow.${name}`)])}
        onChange={(next) => {
          setKind(next)
          setMember(usualMembers[next][0] ?? '')
          setText('')
        }}
      />
      {choices ? (
        <Select label={t(`rules.narrow.${kind === 'agent' ? 'whichAgent' : 'whichRisk'}`)} value={text} disabled={disabled} options={choices} onChange={setText} />
      ) : (
        <Field
          label={t(`rules.narrow.which.${kind as 'file' | 'folder' | 'runsIn' | 'programs' | 'host'}`)}
          value={text}
          disabled={disabled}
          onChange={(event: { currentTarget: { value: string } }) => {
            setText(event.currentTarget.value)
          }}
        />
      )}
      {usualMembers[kind].length > 0 && (
        <Combobox label={t('rules.narrow.member')} value={member} options={usualMembers[kind]} onChange={setMember} />
      )}
      <Button disabled={!open} onClick={() => void add()}>
        <Icon name="plus" /> {t('rules.narrow.add')}
      </Button>
    </div>
  )
}
