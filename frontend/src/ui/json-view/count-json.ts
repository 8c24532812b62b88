import { hiddenSource, isHidden, stackedSource } from '../hidden-characters'
import { decodeEscape, lookAlikesInJson } from '../split-text'
import { Indenter } from './layout-json'
import { safeCut } from './safe-cut'
import { NotJson, scanSteps, type Visit } from './scan-json'
import { StringFinder, type FoundString } from './string-finder'

/** What is known of a text once all of it was read. */
export interface Counts {
  hidden: number
  /** Letters that look like others. */
  foreign: number
  /** Lines of the layout. */
  lines: number
  /** Whether it is an object or a list without anything in it. */
  empty: boolean
  json: boolean
  strings: FoundString[]
}

/** Reads all of a text, in steps. */
export function* countSteps(raw: string): Generator<undefined, Counts> {
  const indent = new Indenter()
  const finder = new StringFinder(raw)
  let lines = 1
  const visit: Visit = (kind, start, end, depth) => {
    if (indent.before(kind, raw[start] ?? '', depth).startsWith('\n')) lines++
    finder.visit(kind, start, end, depth)
  }
  const empty = /^\s*(?:\{\s*\}|\[\s*\])\s*$/.test(raw)
  const json = yield* isJson(raw, visit)
  if (!json) lines = raw.split('\n').length
  const { hidden, foreign } = yield* countMarks(raw)
  return { hidden, foreign, lines, empty, json, strings: json ? finder.found : [] }
}

function* isJson(raw: string, visit: Visit): Generator<undefined, boolean> {
  try {
    yield* scanSteps(raw, visit)
    return true
  } catch (error) {
    if (!(error instanceof NotJson)) throw error
    return false
  }
}

// Blanks between tokens are no characters of the text.
const hidden = new RegExp(String.raw`(?![\n\r\t])${hiddenSource}|${stackedSource}`, 'gu')
const beyondPlain = /[^\u0020-\u007e\n\r\t]/
const escape = /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)/gs
const escapeOfHidden = /\\[ubfr]/

const chunkLength = 100_000
/** What stands before a chunk and tells how its first characters are to be taken. */
const contextLength = 16

/** Counts hidden characters, raw and escaped, and look-alikes; blanks between tokens are not counted. */
function* countMarks(raw: string): Generator<undefined, { hidden: number; foreign: number }> {
  let [concealed, foreign] = [0, 0]
  for (let start = 0; start < raw.length; ) {
    const end = chunkEnd(raw, start)
    const chunk = raw.slice(start, end)
    if (beyondPlain.test(chunk)) {
      const from = safeCut(raw, Math.max(0, start - contextLength))
      concealed += countBare(raw.slice(from, end), start - from)
      foreign += lookAlikesInJson(chunk).length
    }
    if (escapeOfHidden.test(chunk)) concealed += countEscaped(chunk)
    start = end
    yield
  }
  return { hidden: concealed, foreign }
}

/** Between words, where there is a place between words nearby. */
function chunkEnd(raw: string, start: number): number {
  const most = start + chunkLength
  if (most >= raw.length) return raw.length
  const near = raw.slice(most - 1000, most).search(/[\s",][^\s",]*$/)
  return safeCut(raw, near < 0 ? most : most - 1000 + near)
}

function countBare(text: string, from: number): number {
  let n = 0
  hidden.lastIndex = 0
  while (hidden.test(text)) if (hidden.lastIndex > from) n++
  return n
}

function countEscaped(text: string): number {
  let n = 0
  for (const [written] of text.matchAll(escape)) if (written !== '\\n' && written !== '\\t' && isHidden(decodeEscape(written))) n++
  return n
}
