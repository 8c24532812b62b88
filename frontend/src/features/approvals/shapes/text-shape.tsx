import { useState } from 'react'
import { useI18n } from '../../../i18n/i18n'
import { useDiffWords } from '../../../i18n/use-diff-words'
import { useJsonWords } from '../../../i18n/use-json-words'
import { AgentText } from '../../../ui/agent-text'
import { textLines } from '../../../ui/diff-view/diff-lines'
import { DiffView } from '../../../ui/diff-view/diff-view'
import { JsonView } from '../../../ui/json-view/json-view'
import type { ReadableText } from './readable-texts'
import css from './shapes.module.css'

/** A text of the input that escapes make hard to read, as its reader will have it. A short one is open at once. */
export function TextShape({ of: { path, text, json } }: { of: ReadableText }) {
  const { t, tx } = useI18n()
  const words = useDiffWords()
  const jsonWords = useJsonWords()
  const [open, setOpen] = useState(text.length < 1000)
  const name = t(json ? 'shape.textJson' : 'shape.text', { key: path })
  return (
    <details
      className={css.text}
      open={open}
      onToggle={(e) => {
        setOpen(e.currentTarget.open)
      }}
    >
      <summary>{tx(json ? 'shape.textJson' : 'shape.text', { key: <AgentText>{path}</AgentText> })}</summary>
      {open && (json ? <JsonView raw={text} words={{ ...jsonWords, label: name, copy: t('common.copy') }} /> : <DiffView lines={textLines(text)} label={name} words={words} />)}
    </details>
  )
}
