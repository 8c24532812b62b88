import { useId, useRef, useState, type KeyboardEvent } from 'react'
import { useLate } from './late-component'
import { optionId } from './option-id'
import { lateOptions } from './options'
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

/** Keys that follow each other within this time spell one word. */
const typeAheadMs = 700
const pageOptions = 10

/** One of several: a select-only combobox (WAI-ARIA), whose list has the theme of the page. */
export function Select<T extends string>({ label, place = 'above', small = false, disabled = false, value, options, onChange }: Props<T>) {
  const id = useId()
  const { component: OptionList } = useLate(lateOptions)
  const [active, setActive] = useState<number | null>(null)
  const typed = useRef({ text: '', at: 0 })
  const chosen = options.findIndex(([name]) => name === value)
  const last = options.length - 1
  const choose = (at: number) => {
    setActive(null)
    const option = options[at]
    if (option && at !== chosen) onChange(option[0])
  }
  const spell = (key: string, now: number) => {
    const { text, at } = typed.current
    const goesOn = now - at < typeAheadMs
    const word = goesOn && text !== key ? text + key : key // the same letter again goes to the next that begins with it
    typed.current = { text: word, at: now }
    const from = active ?? Math.max(chosen, 0)
    const order = options.map((_, i) => (from + i + (word.length === 1 ? 1 : 0)) % options.length)
    const found = order.find((i) => options[i]?.[1].toLocaleLowerCase().startsWith(word.toLocaleLowerCase()))
    setActive(found ?? from)
  }
  const steps: Record<string, number> = {
    ArrowDown: Math.min(last, (active ?? -1) + 1),
    ArrowUp: Math.max(0, (active ?? 0) - 1),
    Home: 0,
    End: last,
    PageDown: Math.min(last, (active ?? 0) + pageOptions),
    PageUp: Math.max(0, (active ?? 0) - pageOptions),
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event
    const spelling = key === ' ' && performance.now() - typed.current.at < typeAheadMs && typed.current.text !== ''
    const letter = key.length === 1 && (key !== ' ' || spelling) && !event.ctrlKey && !event.metaKey && !event.altKey
    if (event.nativeEvent.isComposing || (active === null && (key === 'Enter' || (key === ' ' && !spelling)))) return // a click opens it
    if (active !== null && key === 'Tab') choose(active)
    if (active !== null && key === 'Escape') setActive(null)
    else if (active !== null && (key === 'Enter' || (key === ' ' && !spelling) || (key === 'ArrowUp' && event.altKey))) choose(active)
    else if (key === 'ArrowDown' || key === 'ArrowUp') setActive(active === null ? Math.max(chosen, 0) : (steps[key] ?? 0))
    else if (key in steps) setActive(steps[key] ?? 0)
    else if (letter) spell(key, performance.now())
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className={css.select} data-place={place} data-small={small}>
      <label htmlFor={id} className={place === 'hidden' ? 'visually-hidden' : css.label}>
        {label}
      </label>
      <button
        type="button"
        id={id}
        className={css.control}
        role="combobox"
        aria-haspopup="listbox"
        aria-expanded={active !== null}
        aria-controls={active === null ? undefined : `${id}-list`}
        aria-activedescendant={active === null ? undefined : optionId(`${id}-list`, active)}
        value={value}
        disabled={disabled}
        onClick={() => {
          setActive(active === null ? Math.max(chosen, 0) : null)
        }}
        onKeyDown={onKeyDown}
        onBlur={() => {
          setActive(null)
        }}
      >
        <span className={css.value}>{options[chosen]?.[1] ?? value}</span>
      </button>
      {active !== null && !disabled && OptionList && (
        <OptionList id={`${id}-list`} label={label} options={options.map(([, text]) => text)} active={active} chosen={chosen} onChoose={choose} />
      )}
    </div>
  )
}
