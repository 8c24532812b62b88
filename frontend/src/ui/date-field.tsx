import type { ReactNode } from 'react'
import { Button } from './button'
import css from './date-field.module.css'
import { Field } from './field'
import { instantOf } from './local-time'

interface Props {
  label: string
  /** How a time is written, in the person's language. */
  form: string
  error?: string | undefined
  value: string
  /** What may be chosen with one press: its words, and the time that it means now. */
  presets: readonly (readonly [words: string, value: () => string])[]
  /** What is written, in words: of an instant, of none (null), of what is no time (undefined). */
  say: (at: string | null | undefined) => ReactNode
  onChange: (value: string) => void
}

/** A time, written as yyyy-mm-dd hh:mm or chosen of a few, and said back in words. */
export function DateField({ label, form, error, value, presets, say, onChange }: Props) {
  return (
    <div className={css.date}>
      <Field
        label={label}
        hint={say(instantOf(value))}
        error={error}
        placeholder={form}
        value={value}
        onChange={(event: { currentTarget: { value: string } }) => {
          onChange(event.currentTarget.value)
        }}
      />
      <div className={css.presets}>
        {presets.map(([words, time]) => (
          <Button
            key={words}
            small
            look="quiet"
            onClick={() => {
              onChange(time())
            }}
          >
            {words}
          </Button>
        ))}
      </div>
    </div>
  )
}
