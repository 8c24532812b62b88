import { useMemo, useState } from 'react'
import { useI18n } from '../../../i18n/i18n'
import { Button } from '../../../ui/button'
import { LateComponent } from '../../../ui/late-component'
import { useReturnFocus } from '../../../ui/use-return-focus'
import { Late } from '../late'
import { checkEdit } from './check-edit'
import type { EditFieldProps } from './edit-field'
import { editableText, spellsHidden } from './editable'

/** It opens by a button, after the first screen. */
const editField = new LateComponent<EditFieldProps>(() => import('./edit-field').then(({ EditField }) => EditField))

interface Props {
  /** As it was sent. */
  raw: string
  edited: string | null
  onEdited: (text: string | null) => void
  readOnly: boolean
}

/** Lets a person change the input before it is approved. What says the same as what was sent is no edit. */
export function EditInput({ raw, edited, onEdited, readOnly }: Props) {
  const { t } = useI18n()
  const sent = useMemo(() => editableText(raw), [raw])
  const [text, setText] = useState<string | null>(edited)
  const closed = useReturnFocus<HTMLParagraphElement>(text !== null, 'button')
  if (text === null) {
    return (
      <p ref={closed}>
        <Button
          small
          disabled={readOnly}
          onClick={() => {
            setText(sent)
          }}
        >
          {t('edit.open')}
        </Button>
      </p>
    )
  }
  const problem = checkEdit(text, raw)
  return (
    <Late
      part={editField}
      props={{
        text,
        sent,
        spelled: spellsHidden(raw),
        problem,
        readOnly,
        onText: (next) => {
          setText(next)
          onEdited(checkEdit(next, raw) === null && editableText(next) === sent ? null : next)
        },
        onBack: () => {
          setText(null)
          onEdited(null)
        },
      }}
    />
  )
}
