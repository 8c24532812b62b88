import { useMemo, useRef, useState, type FocusEvent, type HTMLAttributes, type MouseEvent, type ReactNode } from 'react'
import { resumed } from '../../lists/resumed'
import { VirtualList, type VirtualListHandle } from '../virtual-list/virtual-list'
import { entriesOf, headingKey, type Entry, type Group } from './entries'
import { leavesFocus } from './focus-home'
import { itemKeys } from './item-keys'
import css from './object-list.module.css'
import { useRowKeys } from './use-row-keys'
import { useRoving } from './use-roving'

/** What a row knows of its place in the list. */
export interface RowState {
  /** It is the one that Tab leads to: its actions are reached by Tab too. */
  current: boolean
  /** What is below it is shown. */
  expanded: boolean
  toggle: () => void
}

interface Props<T, G extends Group<T>> {
  /** What the list is called. */
  label: string
  groups: readonly G[]
  /** Must be stable, and tell each item from all others. */
  keyOf: (item: T) => string
  /** How high a row is in pixels, about. */
  estimate: number
  /** What Enter, or a press on a row, does. Left out, it shows what is below the row. */
  onOpen?: (item: T) => void
  /** Nothing is below a row that could be shown. */
  flat?: boolean
  /** The row that is meant by something beside the list. */
  marked?: string
  /** Keys of groups whose headings stay drawn when they are out of view: their state is not lost. */
  kept?: readonly string[]
  heading: (group: G, state: RowState) => ReactNode
  children: (item: T, state: RowState) => ReactNode
}

/**
 * The list of the house: rows under headings, as a treegrid. One row is in the order of Tab, and with it its actions; arrows,
 * J and K, Home and End lead to the others, Right to what can be done with a row, Enter does the first of it. The focus
 * goes to the next row when its row leaves.
 */
export function ObjectList<T, G extends Group<T>>({ label, groups, keyOf, estimate, onOpen, flat = false, marked, kept = none, heading, children }: Props<T, G>) {
  const list = useRef<VirtualListHandle>(null)
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set())
  const [entriesFrom] = useState(() => resumed(entriesOf<T, G>))
  const { entries, total } = useMemo(() => entriesFrom(groups, keyOf, folded), [entriesFrom, groups, keyOf, folded])
  const keys = useMemo(() => entries.map(entryKey), [entries])
  const roving = useRoving(keys, Math.min(1, keys.length - 1))
  const isOpen = ({ key, item }: Entry<T, G>) => (item === null ? !folded.has(key) : expanded.has(key))
  const canOpen = (entry: Entry<T, G>) => entry.item === null || !flat
  const toggle = ({ key, item }: Entry<T, G>) => {
    if (item === null) setFolded((now) => toggled(now, key))
    else setExpanded((now) => toggled(now, key))
  }
  const open = (entry: Entry<T, G>) => {
    if (entry.item !== null && onOpen) onOpen(entry.item)
    else if (canOpen(entry)) toggle(entry)
  }
  const onKeyDown = useRowKeys({
    entries,
    at: roving.at,
    reveal: (key) => list.current?.reveal(key, 'nearest')?.focus({ preventScroll: true }),
    headingOf: (entry) => headingKey(entry.group.key),
    isOpen: (entry) => canOpen(entry) && isOpen(entry),
    canOpen,
    toggle,
    open,
  })
  const onFocus = (event: FocusEvent) => {
    roving.take(event.target.closest('[data-key]')?.getAttribute('data-key') ?? '')
  }
  const rowProps = (entry: Entry<T, G>): HTMLAttributes<HTMLElement> => {
    const { key, item, place } = entry
    return {
      className: item === null ? css.group : css.row,
      'aria-level': item === null ? 1 : 2,
      'aria-expanded': canOpen(entry) ? isOpen(entry) : undefined,
      'aria-current': item !== null && key === marked ? 'true' : undefined,
      tabIndex: key === roving.key ? 0 : -1,
      onClick: (event) => {
        if (isPress(event)) open(entry)
      },
      ...(item === null ? {} : { 'aria-posinset': place, 'aria-setsize': total }),
      ...(key === roving.key ? { 'data-focus-home': '' } : {}),
    }
  }
  if (entries.length === 0) return null
  return (
    <div ref={itemKeys} className={css.list} onFocus={onFocus} onKeyDown={onKeyDown}>
      <VirtualList ref={list} label={label} items={entries} keyOf={entryKey} estimate={estimate} pinned={[roving.key, ...kept.map(headingKey)]} grid={rowProps}>
        {(entry) => {
          const state = { current: entry.key === roving.key, expanded: isOpen(entry), toggle: () => { toggle(entry) } }
          return (
            <div ref={leavesFocus} className={css.cells} role="presentation">
              {entry.item === null ? heading(entry.group, state) : children(entry.item, state)}
            </div>
          )
        }}
      </VirtualList>
    </div>
  )
}

const none: readonly string[] = []

const entryKey = ({ key }: { key: string }) => key

function toggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const now = new Set(keys)
  if (!now.delete(key)) now.add(key)
  return now
}

/** A press on the row itself: not on something in it that has a press of its own, nor the end of marking its text. */
function isPress({ target, currentTarget, defaultPrevented }: MouseEvent): boolean {
  if (defaultPrevented || !(target instanceof Element) || !currentTarget.contains(target)) return false
  const own = target.closest('a, button, input, select, textarea, label, summary, [data-below]')
  return (own === null || !currentTarget.contains(own)) && (document.getSelection()?.isCollapsed ?? true)
}
