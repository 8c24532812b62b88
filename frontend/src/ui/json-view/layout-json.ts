import { hiddenSource, isHidden, stackedSource } from '../hidden-characters'
import { decodeEscape } from '../split-text'
import { blocksOf } from './blocks'
import { safeCut } from './safe-cut'
import { NotJson, scanJson, type Kind } from './scan-json'

/** A stretch of the laid out text. A block has many tokens, or a part of a very long one. */
export interface Piece {
  kind: Kind | 'raw' | 'block'
  text: string
}

export interface Layout {
  /** head is all when nothing is folded. */
  head: Piece[]
  tail: Piece[]
  /** How many characters of the raw text are between head and tail. */
  folded: number
  hidden: number
  /** Whether it is an object or a list without anything in it. */
  empty: boolean
  json: boolean
}

/** Texts longer than this fold in the middle. */
export const foldAbove = 200_000
const headLength = 60_000
const tailLength = 60_000

/** Beyond these, colours cost more than they tell: the text is laid out in blocks without them. */
const colouredLength = 1_000_000
const colouredPieces = 4000

/**
 * Lays JSON text out on lines, two blanks for each depth, every token as it was
 * sent. What is not JSON is shown as it came. Long text is folded unless whole.
 */
export function layoutJson(raw: string, whole = false): Layout {
  const fold = !whole && raw.length > foldAbove
  const cut = fold ? [safeCut(raw, headLength), safeCut(raw, raw.length - tailLength)] : [raw.length, raw.length]
  const [headEnd = 0, tailStart = 0] = cut
  const layout: Layout = { head: [], tail: [], folded: tailStart - headEnd, hidden: countHiddenIn(raw), empty: /^\s*(?:\{\s*\}|\[\s*\])\s*$/.test(raw), json: true }
  const indent = new Indenter()
  const push = raw.length > colouredLength && !fold ? pushText : pushToken
  try {
    scanJson(raw, (kind, start, end, depth) => {
      const blank = indent.before(kind, raw[start] ?? '', depth)
      if (start < headEnd) push(layout.head, blank, kind, raw.slice(start, Math.min(end, headEnd)))
      if (fold && end > tailStart) push(layout.tail, start >= tailStart ? blank : '', kind, raw.slice(Math.max(start, tailStart), end))
    })
  } catch (error) {
    if (!(error instanceof NotJson)) throw error
    return { ...layout, json: false, head: [{ kind: 'raw', text: raw.slice(0, headEnd) }], tail: fold ? [{ kind: 'raw', text: raw.slice(tailStart) }] : [] }
  }
  return { ...layout, head: inBlocks(layout.head), tail: inBlocks(layout.tail) }
}

function inBlocks(pieces: Piece[]): Piece[] {
  if (pieces.length <= colouredPieces && pieces.every((p) => p.text.length <= headLength)) return pieces
  return blocksOf(pieces.map((p) => p.text).join('')).map((text) => ({ kind: 'block', text }))
}

/** One piece for all: millions of them would be slow to make. */
function pushText(pieces: Piece[], blank: string, _: Kind, text: string): void {
  const last = pieces[0]
  if (last) last.text += blank + text
  else pieces.push({ kind: 'raw', text: blank + text })
}

function pushToken(pieces: Piece[], blank: string, kind: Kind, text: string): void {
  const last = pieces.at(-1)
  // Fewer pieces, fewer elements: structure and the blanks around it go together.
  const quiet = blank + (kind === 'punctuation' ? text : '')
  if (quiet !== '') {
    if (last?.kind === 'punctuation') last.text += quiet
    else pieces.push({ kind: 'punctuation', text: quiet })
  }
  if (kind !== 'punctuation') pieces.push({ kind, text })
}

/** The desk takes no deeper input; beyond it the indent would be longer than the text. */
const deepest = 128

/** Says which blank stands before a token. */
class Indenter {
  #last = ''

  before(kind: Kind, char: string, depth: number): string {
    const last = this.#last
    this.#last = kind === 'punctuation' ? char : 'x'
    if (last === '' || char === ',' || (char === ':' && kind === 'punctuation')) return ''
    if (last === ':') return ' '
    const closes = kind === 'punctuation' && (char === '}' || char === ']')
    if (closes && (last === '{' || last === '[')) return ''
    return '\n' + '  '.repeat(Math.min(depth, deepest))
  }
}

const notable = new RegExp(String.raw`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|${hiddenSource}|${stackedSource}`, 'gsu')
const anythingHidden = /[^\u0020-\u007e\n\r\t]|\\[ubfr]/

/** Counts hidden characters, raw and escaped; blanks between tokens are not counted. */
function countHiddenIn(raw: string): number {
  if (!anythingHidden.test(raw)) return 0
  let n = 0
  for (const [written] of raw.matchAll(notable)) {
    if (written === '\n' || written === '\t' || written === '\r') continue
    if (!written.startsWith('\\')) n++
    else if (written !== '\\n' && written !== '\\t' && isHidden(decodeEscape(written))) n++
  }
  return n
}
