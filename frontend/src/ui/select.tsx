import css from './select.module.css'

interface Props<T extends string> {
  label: string
  /** Where the label stands; hidden, it is for screen readers alone. */
  place?: 'above' | 'beside' | 'hidden'
  small?: boolean
  disabled?: boolean
  value: T
  options: readonly (readonly [T, string])[]
  onChange: (value: T) => void
}

/** One of several. */
export function Select<T extends string>({ label, place = 'above', small = false, disabled = false, value, options, onChange }: Props<T>) {
  return (
    <label className={css.select} data-place={place} data-small={small}>
      <span className={place === 'hidden' ? 'visually-hidden' : css.label}>{label}</span>
      <select
        className={css.control}
        value={value}
        disabled={disabled}
        onChange={(e) => {
          const chosen = options.find(([name]) => name === e.currentTarget.value)
          if (chosen) onChange(chosen[0])
        }}
      >
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
