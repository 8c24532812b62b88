import { splitPath, type Stretch } from './split-text'

/** A text for one line: what may be cut when the line is too short, and what must be seen. */
export interface CutText {
  head: string
  tail: string
}

/** So wide may be what is never cut, in narrow letters. */
const mostTail = 40
/** No line shows more of a text than about so much: the rest of the head is left out. */
const mostHead = 400

/**
 * Where a text may be cut in its middle: a path before the name of its file, anything else before its last letters. null for a
 * text that holds something that could deceive: that is shown whole.
 */
export function cutText(text: string): CutText | null {
  if (splitPath(text).some(isOdd)) return null
  const letters = Array.from(text)
  const separator = Math.max(text.lastIndexOf('/', text.length - 2), text.lastIndexOf('\\', text.length - 2))
  const name = separator < 0 ? '' : text.slice(separator)
  const tail = name !== '' && widthOf(name) <= mostTail && !/\s/.test(name) ? name : lastOf(letters)
  const head = text.slice(0, text.length - tail.length)
  return { head: head.length > mostHead ? `${Array.from(head).slice(0, mostHead).join('')}…` : head, tail }
}

function isOdd({ kind }: Stretch): boolean {
  return kind !== 'plain'
}

/** As many of the last letters as fit, and none that belongs to the one before it. */
function lastOf(letters: readonly string[]): string {
  let width = 0
  let from = letters.length
  while (from > 0 && width + widthOf(letters[from - 1] ?? '') <= mostTail / 2) width += widthOf(letters[--from] ?? '')
  while (from < letters.length && /\p{M}/u.test(letters[from] ?? '')) from++
  return letters.slice(from).join('')
}

/** About how wide a text is: letters that are not Latin may be as wide as two. */
export function widthOf(text: string): number {
  return Array.from(text).reduce((sum, letter) => sum + (letter < '\u0250' ? 1 : 2), 0)
}
