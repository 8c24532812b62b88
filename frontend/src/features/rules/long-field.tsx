import { Button } from '../../ui/button'
import { Field } from '../../ui/field'
import css from './long-field.module.css'
import { useI18n } from './screen'

interface Props {
  label: string
  hint?: string
  text: string
  /** Where it stops being JSON. */
  fault: { line: number; column: number } | null
  /** What is told of a text that is too long to be written over, and of the way to begin anew. */
  told: string
  another: string
  onChange: (text: string) => void
}

/** More than this is taken as it is: a field of such a length stops the page. */
const writable = 100_000

/** JSON text, written or brought in. */
export function LongField({ label, hint, text, fault, told, another, onChange }: Props) {
  const { t } = useI18n()
  const wrong = fault ? t('rules.testFault', fault) : undefined
  if (text.length > writable) {
    return (
      <div className={css.field} role="group" aria-label={label}>
        <p className={css.label}>{label}</p>
        <p className={css.long}>
          {told}
          <Button
            small
            onClick={() => {
              onChange('')
            }}
          >
            {another}
          </Button>
        </p>
        {wrong !== undefined && (
          <p className={css.wrong} role="alert">
            {wrong}
          </p>
        )}
      </div>
    )
  }
  return (
    <div className={css.field}>
      <Field
        label={label}
        hint={hint}
        lines={4}
        error={wrong}
        value={text}
        onChange={(e: { currentTarget: { value: string } }) => {
          onChange(e.currentTarget.value)
        }}
      />
    </div>
  )
}
