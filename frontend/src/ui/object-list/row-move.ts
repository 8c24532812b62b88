/** What a key asks of a list of rows that has the focus, by the treegrid pattern of WAI-ARIA. */
export type RowMove = 'next' | 'previous' | 'nextItem' | 'previousItem' | 'pageDown' | 'pageUp' | 'first' | 'last' | 'in' | 'out' | 'open' | 'leave'

interface Key {
  key: string
  code: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  shiftKey: boolean
}

const named: Readonly<Record<string, RowMove>> = {
  ArrowDown: 'next',
  ArrowUp: 'previous',
  PageDown: 'pageDown',
  PageUp: 'pageUp',
  Home: 'first',
  End: 'last',
  ArrowRight: 'in',
  ArrowLeft: 'out',
  Enter: 'open',
  Escape: 'leave',
}

/** The move that a key stands for; null for a key that is none of the list's. */
export function rowMove(event: Key): RowMove | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return null
  return named[event.key] ?? itemMove(event)
}

/** J and K, also where the keyboard has letters of another script: then it is the key that has them on others. */
export function itemMove({ key, code, ctrlKey, metaKey, altKey, shiftKey }: Key): 'nextItem' | 'previousItem' | null {
  if (ctrlKey || metaKey || altKey || shiftKey) return null
  const letter = /^[a-z]$/i.test(key) ? key.toLowerCase() : key.length === 1 && /\p{L}/u.test(key) && code.startsWith('Key') ? code.slice(3).toLowerCase() : ''
  return letter === 'j' ? 'nextItem' : letter === 'k' ? 'previousItem' : null
}

/** So many rows are a page. */
const page = 10

/** Where a move from one row leads to; kinds says of each row whether it is an item or a heading. */
export function landing(move: RowMove, at: number, count: number, isItem: (index: number) => boolean): number {
  const within = (index: number) => Math.max(0, Math.min(index, count - 1))
  switch (move) {
    case 'next':
      return within(at + 1)
    case 'previous':
      return within(at - 1)
    case 'pageDown':
      return within(at + page)
    case 'pageUp':
      return within(at - page)
    case 'first':
      return 0
    case 'last':
      return count - 1
    case 'nextItem':
      return toItem(at, 1, count, isItem)
    case 'previousItem':
      return toItem(at, -1, count, isItem)
    default:
      return at
  }
}

function toItem(at: number, step: 1 | -1, count: number, isItem: (index: number) => boolean): number {
  for (let index = at + step; index >= 0 && index < count; index += step) if (isItem(index)) return index
  return at
}
