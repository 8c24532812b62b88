import { useId, useState, type KeyboardEvent, type ReactNode } from 'react'
import { Field } from './field'
import { useLate } from './late-component'
import { optionId } from './option-id'
import { lateOptions } from './options'

interface Props {
  label: string
  hint?: ReactNode
  error?: string | undefined
  autoFocus?: boolean
  value: string
  /** What may be meant; anything else may be written, too. */
  options: readonly string[]
  onChange: (value: string) => void
}

/** A text that may be one of several: an editable combobox with a list (WAI-ARIA), whose list has the theme of the page. */
export function Combobox({ value, options, onChange, label, ...rest }: Props) {
  const id = useId()
  const { component: OptionList } = useLate(lateOptions)
  const [open, setOpen] = useState(false)
  const [active, setActive] = useState(-1)
  const [looked, setLooked] = useState('')
  const fits = options.filter((option) => option.toLocaleLowerCase().includes(looked.trim().toLocaleLowerCase()))
  const shown = open && fits.length > 0
  const close = () => {
    setOpen(false)
    setActive(-1)
  }
  const choose = (at: number) => {
    close()
    const option = fits[at]
    if (option !== undefined) onChange(option)
  }
  const step = (by: number) => {
    if (!shown) setLooked('') // all of them, whatever is written
    setOpen(true)
    const count = shown ? fits.length : options.length
    setActive(shown ? (active + by + (active < 0 && by < 0 ? 1 : 0) + count) % count : by > 0 ? 0 : count - 1)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event
    if (event.nativeEvent.isComposing) return
    if (key === 'ArrowDown' || key === 'ArrowUp') step(key === 'ArrowDown' ? 1 : -1)
    else if (shown && key === 'Escape') close()
    else if (shown && active >= 0 && key === 'Enter') choose(active)
    else {
      if (shown && key === 'Tab' && active >= 0) choose(active)
      return
    }
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div>
      <Field
        {...rest}
        label={label}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={shown}
        aria-controls={shown ? id : undefined}
        aria-activedescendant={shown && active >= 0 ? optionId(id, active) : undefined}
        value={value}
        onKeyDown={onKeyDown}
        onBlur={close}
        onChange={(event: { currentTarget: { value: string } }) => {
          setLooked(event.currentTarget.value)
          setOpen(true)
          setActive(-1)
          onChange(event.currentTarget.value)
        }}
      />
      {shown && OptionList && <OptionList id={id} label={label} options={fits} active={active} chosen={fits.indexOf(value)} onChoose={choose} />}
    </div>
  )
}
