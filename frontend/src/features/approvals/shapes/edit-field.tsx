import { useMemo } from 'react'
import { useI18n } from '../../../i18n/i18n'
import { useDiffWords } from '../../../i18n/use-diff-words'
import { Button } from '../../../ui/button'
import { diffLines } from '../../../ui/diff-view/diff-lines'
import { DiffView } from '../../../ui/diff-view/diff-view'
import { Field } from '../../../ui/field'
import { isEscape } from '../answer/keys'
import type { EditProblem } from './check-edit'
import { editableText } from './editable'
import css from './shapes.module.css'

export interface EditFieldProps {
  text: string
  /** What was sent, as it was offered for editing. */
  sent: string
  /** In it, hidden characters are spelled as escapes. */
  spelled: boolean
  problem: EditProblem | null
  readOnly: boolean
  onText: (text: string) => void
  onBack: () => void
}

const says = { notJson: 'edit.notJson', notObject: 'edit.notObject', duplicate: 'edit.duplicate', surrogate: 'edit.surrogate', deep: 'edit.deep' } as const

const fewestLines = 5
const mostLines = 16

/** The field, what is wrong with what stands in it, and how it differs from what was sent. */
export function EditField({ text, sent, spelled, problem, readOnly, onText, onBack }: EditFieldProps) {
  const { t } = useI18n()
  const words = useDiffWords()
  const lines = useMemo(() => (problem ? null : diffLines(sent, editableText(text))), [problem, sent, text])
  return (
    <div
      className={css.edit}
      onKeyDown={(event) => {
        if (text === sent && isEscape(event)) onBack() // nothing is lost by it
      }}
    >
      <Field
        lines={Math.min(mostLines, Math.max(fewestLines, text.split('\n').length + 1))}
        label={t('edit.label')}
        hint={`${t('edit.hint')} ${spelled ? t('edit.escaped') : ''}`}
        error={problem ? t(says[problem.kind], { line: problem.line, column: problem.column, key: problem.key }) : undefined}
        value={text}
        readOnly={readOnly}
        dir="ltr"
        translate="no"
        ref={takeFocus}
        onChange={(e: { currentTarget: { value: string } }) => {
          onText(e.currentTarget.value)
        }}
      />
      {lines !== null && (lines.length > 0 ? <DiffView lines={lines} label={t('edit.difference')} words={words} /> : <p className={css.soft}>{t('edit.unchanged')}</p>)}
      <p>
        <Button small disabled={readOnly} onClick={onBack}>
          {t('edit.back')}
        </Button>
      </p>
    </div>
  )
}

function takeFocus(field: HTMLTextAreaElement | null): void {
  field?.focus()
}
