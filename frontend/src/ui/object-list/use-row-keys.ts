import type { KeyboardEvent } from 'react'
import { isWriting } from '../is-writing'
import { landing, rowMove, type RowMove } from './row-move'

interface Rows<E extends { key: string; item: unknown }> {
  entries: readonly E[]
  /** The row that has the focus, or something in it. */
  at: number
  /** Draws a row, scrolls it into view and gives it the focus. */
  reveal: (key: string) => void
  headingOf: (entry: E) => string
  isOpen: (entry: E) => boolean
  canOpen: (entry: E) => boolean
  toggle: (entry: E) => void
  open: (entry: E) => void
}

/** The keys of a list of rows: of the row that has the focus, and of its actions. What is shown below a row keeps all but Escape. */
export function useRowKeys<E extends { key: string; item: unknown }>(rows: Rows<E>) {
  const { entries, at, reveal, headingOf, isOpen, canOpen, toggle, open } = rows
  const go = (move: RowMove) => {
    const to = entries[landing(move, at, entries.length, (index) => entries[index]?.item !== null)]
    if (to) reveal(to.key)
    return true
  }
  const onRow = (move: RowMove, entry: E, actions: HTMLElement[]): boolean => {
    switch (move) {
      case 'open':
        open(entry)
        return true
      case 'in':
        if (canOpen(entry) && !isOpen(entry)) toggle(entry)
        else actions[0]?.focus()
        return true
      case 'out':
        if (isOpen(entry)) toggle(entry)
        else reveal(headingOf(entry))
        return true
      case 'leave':
        if (entry.item === null || !isOpen(entry)) return false
        toggle(entry)
        return true
      default:
        return go(move)
    }
  }
  const onAction = (move: RowMove, entry: E, actions: HTMLElement[], target: Element): boolean => {
    const place = actions.findIndex((action) => action.contains(target))
    switch (move) {
      case 'open':
        return false
      case 'in':
        actions[place + 1]?.focus()
        return true
      case 'out':
        if (place > 0) actions[place - 1]?.focus()
        else reveal(entry.key)
        return true
      case 'leave':
        if (target.closest('dialog')) return false // it closes what the list stands in, as on the row itself
        reveal(entry.key)
        return true
      default:
        return go(move)
    }
  }
  return (event: KeyboardEvent): void => {
    const move = rowMove(event)
    const entry = entries[at]
    if (move === null || !entry || event.defaultPrevented || event.nativeEvent.isComposing || !(event.target instanceof Element)) return
    const row = event.target.closest<HTMLElement>('[data-key]')
    const below = event.target.closest('[data-below]')
    if (!row || isWriting(event.target) || (below && move !== 'leave')) return
    const actions = actionsOf(row)
    const done = below ? (reveal(entry.key), true) : event.target === row ? onRow(move, entry, actions) : onAction(move, entry, actions, event.target)
    if (!done) return
    event.preventDefault()
    event.stopPropagation()
  }
}

/** What can be done with a row, in the order of Tab. */
function actionsOf(row: HTMLElement): HTMLElement[] {
  return [...row.querySelectorAll<HTMLElement>('a[href], button:not([disabled]), summary')].filter((action) => action.closest('[data-below]') === null)
}
