import { useId, type ReactNode } from 'react'
import { Icon, type IconName } from './icon'
import css from './choice.module.css'

interface Option<T extends string> {
  value: T
  label: string
  icon: IconName
}

interface Props<T extends string> {
  legend: ReactNode
  options: readonly Option<T>[]
  value: T
  onChange: (value: T) => void
}

/** One of a few, as radio buttons side by side. */
export function Choice<T extends string>({ legend, options, value, onChange }: Props<T>) {
  const name = useId()
  return (
    <fieldset className={css.choice}>
      <legend className={css.legend}>{legend}</legend>
      <div className={css.options}>
        {options.map((option) => (
          <label key={option.value} className={`${css.option ?? ''} ${css[option.value] ?? ''}`}>
            <input
              className={css.radio}
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => {
                onChange(option.value)
              }}
            />
            <Icon name={option.icon} />
            <span>{option.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
