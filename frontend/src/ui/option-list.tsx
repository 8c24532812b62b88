import { optionId } from './option-id'
import css from './option-list.module.css'

export interface OptionListProps {
  id: string
  label: string
  options: readonly string[]
  /** The option that the keys have come to; -1 is none. */
  active: number
  /** The option that is chosen; -1 is none. */
  chosen: number
  onChoose: (at: number) => void
}

/**
 * The listbox of a select or a combobox: above everything else, at the field that stands beside it. The keyboard stays in the field,
 * which names the active option by aria-activedescendant.
 */
export function OptionList({ id, label, options, active, chosen, onChoose }: OptionListProps) {
  return (
    <ul
      ref={atField}
      id={id}
      className={css.list}
      role="listbox"
      aria-label={label}
      popover="manual"
      onPointerDown={(event) => {
        event.preventDefault() // the field keeps the focus
      }}
    >
      {options.map((text, i) => (
        <li
          key={i} // options have no other name
          ref={i === active ? intoView : undefined}
          id={optionId(id, i)}
          className={css.option}
          role="option"
          aria-selected={i === chosen}
          data-active={i === active}
          onClick={() => {
            onChoose(i)
          }}
        >
          {text}
        </li>
      ))}
    </ul>
  )
}

function intoView(option: HTMLElement | null): void {
  option?.scrollIntoView({ block: 'nearest' })
}

const gapPixels = 4
const edgePixels = 8

/** Shows the list and keeps it at its field: below, or above where there is more room. */
function atField(list: HTMLElement | null): (() => void) | undefined {
  const field = list?.parentElement?.querySelector('input, button')
  if (!list || !field) return undefined
  const place = () => {
    const { top, bottom, left, width } = field.getBoundingClientRect()
    const [above, below] = [top - gapPixels - edgePixels, window.innerHeight - bottom - gapPixels - edgePixels]
    const up = below < Math.min(list.scrollHeight, 200) && above > below
    list.style.minWidth = `${String(width)}px`
    list.style.maxHeight = `${String(Math.max(60, Math.min(320, up ? above : below)))}px`
    list.style.left = `${String(Math.max(edgePixels, Math.min(left, window.innerWidth - edgePixels - list.offsetWidth)))}px`
    list.style.top = `${String(up ? top - gapPixels - list.offsetHeight : bottom + gapPixels)}px`
  }
  if ('showPopover' in list) list.showPopover()
  place()
  const stop = new AbortController()
  window.addEventListener('scroll', place, { signal: stop.signal, capture: true, passive: true })
  window.addEventListener('resize', place, { signal: stop.signal })
  return () => {
    stop.abort()
  }
}
