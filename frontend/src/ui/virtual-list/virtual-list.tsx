import { memo, useCallback, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore, type ElementType, type FocusEvent, type HTMLAttributes, type ReactNode, type Ref } from 'react'
import { flushSync } from 'react-dom'
import { resumed } from '../../lists/resumed'
import { RowWindow, type Range } from './row-window'
import css from './virtual-list.module.css'

/** What may be asked of a list. */
export interface VirtualListHandle {
  /** Draws a row, scrolls it into view and gives its element; null where no row has this key. */
  reveal: (key: string, block?: ScrollLogicalPosition) => HTMLElement | null
  /** Before which row something would stand that is dropped at this height of the window. */
  placeAt: (clientY: number) => number
}

interface Props<T> {
  /** What the list is called. */
  label: string
  items: readonly T[]
  /** Must be stable, and tell each item from all others. */
  keyOf: (item: T) => string
  /** How high a row is in pixels, about, until it was drawn once. */
  estimate: number
  /** Keys of rows that stay drawn when they are out of view: their state is not lost. */
  pinned?: readonly string[]
  rowClass?: string | undefined
  /** Makes it a treegrid, of whose rows this gives the attributes; left out, it is a list. */
  grid?: (item: T, index: number) => HTMLAttributes<HTMLElement>
  ref?: Ref<VirtualListHandle>
  /** What stands in a row. The space between rows is theirs too: a padding, not a margin. */
  children: (item: T, index: number) => ReactNode
}

const none: readonly string[] = []

/**
 * A list of which only the rows in view are drawn, however many there are. It
 * scrolls with the page, or with the nearest element around it that scrolls.
 * Rows may be of any height. Each tells assistive technology its place and
 * their number; the one with the focus, and its neighbours, stay drawn.
 */
export function VirtualList<T>({ label, items, keyOf, estimate, pinned = none, rowClass, grid, ref, children }: Props<T>) {
  const list = useRef<HTMLElement>(null)
  const [view] = useState(() => new RowWindow(estimate))
  const range = useSyncExternalStore(view.subscribe, view.range)
  const [focused, setFocused] = useState('')
  const [revealed, setRevealed] = useState('')
  const [keysFrom] = useState(() => resumed(keysOf<T>))
  const { keys } = useMemo(() => keysFrom(items, keyOf), [keysFrom, items, keyOf])
  const attach = useCallback(
    (element: HTMLElement | null) => {
      list.current = element
      return element ? view.attach(element) : undefined
    },
    [view],
  )
  useLayoutEffect(() => {
    view.place(keys)
  })
  const rowOf = (key: string) => [...(list.current?.children ?? [])].find((row) => row.getAttribute('data-key') === key)
  useImperativeHandle(ref, () => ({
    reveal: (key, block = 'center') => {
      if (!keys.includes(key)) return null
      flushSync(() => {
        setRevealed(key)
      })
      const row = rowOf(key)
      row?.scrollIntoView({ block })
      return row instanceof HTMLElement ? row : null
    },
    placeAt: (clientY) => view.placeAt(clientY),
  }))
  const onFocus = (event: FocusEvent) => {
    setFocused(event.target.closest('[data-key]')?.getAttribute('data-key') ?? '')
  }
  // When the whole window loses it, the focus comes back to where it was. On the way to another
  // row it is nowhere for a moment: the row it goes to must not be taken away before it is there.
  const onBlur = ({ relatedTarget }: FocusEvent) => {
    if (![relatedTarget, document.activeElement].some((at) => at instanceof Node && list.current?.contains(at))) setFocused('')
  }
  const kept = useMemo(() => {
    const indexOf = (key: string) => (key === '' ? -1 : keys.indexOf(key))
    const at = indexOf(focused)
    return [...(at < 0 ? [] : [at - 1, at, at + 1]), ...[...pinned, revealed].map(indexOf)]
  }, [keys, focused, pinned, revealed])
  const drawn = indexes(range, kept, items.length)
  const [List, Row]: [ElementType, ElementType] = grid ? ['div', 'div'] : ['ol', 'li']
  return (
    <List ref={attach} className={css.list} role={grid ? 'treegrid' : 'list'} aria-label={label} aria-rowcount={grid && items.length} onFocus={onFocus} onBlur={onBlur}>
      {drawn.map((index) => {
        const item = items[index]
        const key = keys[index]
        return item === undefined || key === undefined ? null : (
          <Row key={key} className={rowClass} data-key={key} data-index={index} {...(grid ? { role: 'row', 'aria-rowindex': index + 1, ...grid(item, index) } : { 'aria-posinset': index + 1, 'aria-setsize': items.length })}>
            <Drawn item={item} index={index} draw={children as Draw} />
          </Row>
        )
      })}
    </List>
  )
}

interface Keys<T> {
  items: readonly T[]
  keyOf: (item: T) => string
  keys: readonly string[]
}

/** The keys of items. Those of before are asked for no second time. */
function keysOf<T>(before: Keys<T> | null, items: readonly T[], keyOf: (item: T) => string): Keys<T> {
  const known = before?.keyOf === keyOf ? before : null
  return { items, keyOf, keys: items.map((item, i) => (known?.items[i] === item ? known.keys[i] : undefined) ?? keyOf(item)) }
}

type Draw = (item: unknown, index: number) => ReactNode

/** What stands in a row: while the list is scrolled, it is drawn once. */
const Drawn = memo(function Drawn({ item, index, draw }: { item: unknown; index: number; draw: Draw }) {
  return draw(item, index)
})

/** All that is to be drawn, in order. */
function indexes({ from, to }: Range, kept: readonly number[], length: number): number[] {
  const drawn = new Set(Array.from({ length: Math.max(0, Math.min(to, length) - from) }, (_, i) => from + i))
  for (const index of kept) if (index >= 0 && index < length) drawn.add(index)
  return [...drawn].sort((a, b) => a - b)
}
