import { hiddenSource, stackedSource } from '../hidden-characters'
import { lookAlikeSource } from '../look-alikes'
import { blocksOf } from './blocks'
import { safeCut } from './safe-cut'
import { NotJson, scanSteps, type Kind } from './scan-json'
import { drain } from './steps'

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
  json: boolean
}

/** Texts longer than this fold in the middle. */
export const foldAbove = 200_000
const keptLength = 20_000

/** So do texts with more escapes and marked characters than twice these: each is an element of its own. */
const keptMarks = 800

/** Beyond these, colours cost more than they tell: the text is laid out in blocks without them. */
const colouredLength = 1_000_000
const colouredPieces = 4000
const colouredToken = 60_000

/**
 * Lays JSON text out on lines, two blanks for each depth, every token as it was
 * sent. What is not JSON is shown as it came. Long text is folded unless whole.
 */
export function layoutJson(raw: string, whole = false): Layout {
  return drain(layoutSteps(raw, whole))
}

/** The same in steps. */
export function* layoutSteps(raw: string, whole: boolean): Generator<undefined, Layout> {
  const { headEnd, tailStart } = cutsOf(raw, whole)
  const fold = headEnd < tailStart
  const layout: Layout = { head: [], tail: [], folded: tailStart - headEnd, json: true }
  const indent = new Indenter()
  const push = raw.length > colouredLength && !fold ? pushText : pushToken
  try {
    yield* scanSteps(raw, (kind, start, end, depth) => {
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

/**
 * What can be shown of a long text at once, before all of it was read: its
 * beginning laid out as it will stay, its end as it came.
 */
export function firstLayout(raw: string): Layout {
  const { headEnd, tailStart } = cutsOf(raw, false)
  const beginning = raw.slice(0, headEnd)
  const tail: Piece[] = [{ kind: 'block', text: raw.slice(tailStart) }]
  const head: Piece[] = []
  const indent = new Indenter()
  let [done, depth] = [0, 0]
  const push = (kind: Kind, start: number, end: number) => {
    pushToken(head, indent.before(kind, beginning[start] ?? '', depth), kind, beginning.slice(start, end))
    done = end
  }
  try {
    drain(
      scanSteps(beginning, (kind, start, end, at) => {
        depth = at
        push(kind, start, end)
        if (kind === 'punctuation' && (beginning[start] === '{' || beginning[start] === '[')) depth++
      }),
    )
  } catch (error) {
    if (!(error instanceof NotJson)) throw error
    if (!mayBeCutAt(beginning, error.at)) return { head: [{ kind: 'raw', text: beginning }], tail, folded: tailStart - headEnd, json: false }
  }
  const rest = done + beginning.slice(done).search(/\S|$/)
  if (rest < headEnd) push(beginning[rest] === '"' ? 'string' : 'literal', rest, headEnd)
  return { head: inBlocks(head), tail, folded: tailStart - headEnd, json: true }
}

/** Whether text that ends within a token, or before all brackets are closed, may stop being JSON at a place: at its end, or at that of a word like true. */
function mayBeCutAt(text: string, at: number): boolean {
  return at >= text.length || /^(?:-|t|tr|tru|f|fa|fal|fals|n|nu|nul)$/.test(text.slice(at))
}

function cutsOf(raw: string, whole: boolean): { headEnd: number; tailStart: number } {
  const all = { headEnd: raw.length, tailStart: raw.length }
  if (whole || (raw.length <= foldAbove && marksWithin(raw, 2 * keptMarks).length < 2 * keptMarks)) return all
  const [start, end] = [raw.slice(0, keptLength), raw.slice(-keptLength)]
  const headEnd = safeCut(raw, marksWithin(start, keptMarks)[keptMarks - 1] ?? start.length)
  const tailStart = safeCut(raw, raw.length - end.length + (marksWithin(end, Infinity).at(-keptMarks) ?? 0))
  return headEnd < tailStart ? { headEnd, tailStart } : all
}

/** Where the first so many marks stand: runs of escapes, hidden characters, and letters that may look like others. */
function marksWithin(text: string, most: number): number[] {
  const found: number[] = []
  for (const match of text.matchAll(mark)) if (found.push(match.index) >= most) break
  return found
}

const mark = new RegExp(String.raw`(?:\\u[0-9a-fA-F]{4}|\\.)+|(?![\n\r\t])${hiddenSource}|${stackedSource}|${lookAlikeSource()}`, 'gsu')

function inBlocks(pieces: Piece[]): Piece[] {
  if (pieces.length <= colouredPieces && pieces.every((p) => p.text.length <= colouredToken)) return pieces
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
export class Indenter {
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
