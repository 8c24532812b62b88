import { useRef, useState, type KeyboardEvent } from 'react'
import type { DeskError } from '../../desk/desk-error'
import { errorText } from '../../i18n/error-text'
import { Field } from '../../ui/field'
import { useI18n } from './screen'

interface Props {
  label: string
  hint?: string
  value: number
  /** Keeps a new value; gives why not. */
  onKeep: (value: number) => Promise<DeskError | null>
}

/** A number that is kept when the field is left or Enter is pressed; Escape takes back what was typed. */
export function NumberField({ label, hint, value, onKeep }: Props) {
  const { t } = useI18n()
  /** What was typed and is not kept; null shows what the desk has. */
  const [typed, setTyped] = useState<string | null>(null)
  const [error, setError] = useState<string | undefined>(undefined)
  /** What was sent last, as it was typed: leaving the field after Enter must not send it again. */
  const sent = useRef<string | null>(null)
  const keep = async () => {
    if (typed === null) return
    const wanted = typed.trim() === '' ? NaN : Number(typed)
    if (!Number.isFinite(wanted)) {
      setError(t('settings.notNumber'))
      return
    }
    sent.current = typed
    const refused = wanted === value ? null : await onKeep(wanted)
    if (sent.current !== typed) return // something else was sent since
    setError(refused ? errorText(t, refused, label) : undefined)
    if (!refused) setTyped((now) => (now === typed ? null : now))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && !event.repeat) void keep()
    if (event.key !== 'Escape') return
    sent.current = null
    setTyped(null)
    setError(undefined)
  }
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      inputMode="decimal"
      value={typed ?? String(value)}
      onChange={(e: { currentTarget: { value: string } }) => {
        sent.current = null
        setTyped(e.currentTarget.value)
      }}
      onBlur={() => {
        if (sent.current !== typed) void keep()
      }}
      onKeyDown={onKeyDown}
    />
  )
}
