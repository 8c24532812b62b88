import { useId, type ComponentProps, type ReactNode } from 'react'
import css from './field.module.css'
import { letGo } from './let-go'

interface Common {
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
}

type Props = Common & ({ lines: number } & ComponentProps<'textarea'> | ({ lines?: undefined } & ComponentProps<'input'>))

/** A labelled input; what is wrong with it stands right under it. */
export function Field({ label, hint, error, ...rest }: Props) {
  const id = useId()
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ')
  const aria = { id, 'aria-describedby': described || undefined, 'aria-invalid': error ? true : undefined, className: css.input }
  return (
    <div className={css.field}>
      <label className={css.label} htmlFor={id}>
        {label}
      </label>
      {rest.lines === undefined ? <Line {...rest} {...aria} /> : <Area {...rest} {...aria} />}
      {hint && (
        <p className={css.hint} id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p className={css.error} id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  )
}

const asTyped = { autoComplete: 'off', autoCapitalize: 'off', autoCorrect: 'off', spellCheck: false } as const

function Line({ ...rest }: { lines?: undefined } & ComponentProps<'input'>) {
  delete rest.lines // not an attribute
  return <input ref={letGo} type="text" {...asTyped} {...rest} />
}

function Area({ lines, ...rest }: { lines: number } & ComponentProps<'textarea'>) {
  return <textarea ref={letGo} rows={lines} {...asTyped} {...rest} />
}
