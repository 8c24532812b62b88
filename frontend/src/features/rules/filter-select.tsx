import css from './rule-search.module.css'

interface Props<T extends string> {
  label: string
  value: T
  options: readonly (readonly [T, string])[]
  onChange: (value: T) => void
}

/** One of several, beside its name. */
export function FilterSelect<T extends string>({ label, value, options, onChange }: Props<T>) {
  return (
    <label className={css.select}>
      <span>{label}</span>
      <select
        value={value}
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
