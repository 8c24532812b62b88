import { hiddenSource, isHidden, isPrintableAscii, stackedSource } from './hidden-characters'
import { lookAlikesIn, lookAlikesInName, lookAlikesInPath } from './look-alikes'
import { once } from './once'

/** A stretch of an agent's text. */
export type Stretch =
  /** As it is, or a run of escapes of JSON. */
  | { kind: 'plain' | 'escape'; text: string }
  /** A run of one hidden character. written is what stood in the text: the character itself, or its escape. */
  | { kind: 'hidden'; character: string; written: string; times: number }
  /** A letter that looks like another one. */
  | { kind: 'foreign'; text: string }
  /** Letters that are written from right to left. What stands around them keeps its place. */
  | { kind: 'leftward'; text: string }
  /** Ordinary blanks, so many that they push away what follows. */
  | { kind: 'blanks'; text: string }

type Mark = (text: string) => [number, number][]

const concealed = `${hiddenSource}|${stackedSource}`
const leftwardLetter = `(?:(?!${concealed})[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}])`
const leftward = `${leftwardLetter}+(?: +${leftwardLetter}+)*`
const manyBlanks = ' '.repeat(40)
const blanks = `${manyBlanks} *`
const visible = `(?<leftward>${leftward})|(?<blanks>${blanks})`

const plainText = once(() => new RegExp(`${concealed}|${visible}`, 'gu'))

/** Splits text that is shown as it is: reasons, descriptions. */
export function splitText(text: string): Stretch[] {
  return split(text, plainText, lookAlikesIn)
}

/** Splits a name; letters of other scripts among Latin ones look like them and are marked. */
export function splitName(text: string): Stretch[] {
  return split(text, plainText, lookAlikesInName)
}

/** Splits a path or an address. */
export function splitPath(text: string): Stretch[] {
  return split(text, plainText, lookAlikesInPath)
}

// Line feeds part the lines of a text; in a JSON string none can stand.
const inLines = String.raw`(?!\n)${hiddenSource}|${stackedSource}`
const rawText = once(() => new RegExp(`${inLines}|${visible}`, 'gu'))

/** Splits text of several lines that is not JSON. */
export function splitRawText(text: string): Stretch[] {
  return split(text, rawText, lookAlikesIn)
}

const codeText = once(() => new RegExp(String.raw`(?!\t)(?:${inLines})|${visible}`, 'gu'))

/** Splits a line of code, where a tab is how it is written. */
export function splitCode(text: string): Stretch[] {
  return split(text, codeText, lookAlikesIn)
}

// Escapes come first and are taken whole, so that \\u202e is a backslash and letters.
const escapes = String.raw`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.`
const jsonText = once(() => new RegExp(`${escapes}|${inLines}|${visible}`, 'gsu'))

/** Splits JSON text: escapes stay as they were sent. */
export function splitJsonText(text: string): Stretch[] {
  return split(text, jsonText, lookAlikesInJson)
}

const anyEscape = new RegExp(escapes, 'gs')

/** The letters of an escape belong to no word. */
export function lookAlikesInJson(text: string): [number, number][] {
  return lookAlikesIn(text.includes('\\') ? text.replace(anyEscape, (escape) => ' '.repeat(escape.length)) : text)
}

function split(text: string, pattern: () => RegExp, mark: Mark): Stretch[] {
  const plain = isPrintableAscii(text) && !text.includes(manyBlanks) && !(pattern === jsonText && text.includes('\\'))
  if (plain) return text === '' ? [] : [{ kind: 'plain', text }]
  const foreign = mark(text).values()
  let strange = foreign.next().value
  const stretches: Stretch[] = []
  let from = 0
  /** Adds the text up to an offset, its look-alikes on their own. */
  const addUpTo = (end: number) => {
    for (; strange && strange[0] < end; strange = foreign.next().value) {
      const [start, length] = strange
      if (start < from) continue // a letter that is hidden, too
      if (start > from) stretches.push({ kind: 'plain', text: text.slice(from, start) })
      stretches.push({ kind: 'foreign', text: text.slice(start, start + length) })
      from = start + length
    }
    if (end > from) stretches.push({ kind: 'plain', text: text.slice(from, end) })
  }
  for (const match of text.matchAll(pattern())) {
    addUpTo(match.index)
    if (match.groups?.leftward !== undefined) stretches.push({ kind: 'leftward', text: match[0] })
    else if (match.groups?.blanks !== undefined) stretches.push({ kind: 'blanks', text: match[0] })
    else addOne(stretches, match[0])
    from = match.index + match[0].length
  }
  addUpTo(text.length)
  return stretches
}

function addOne(stretches: Stretch[], written: string): void {
  const character = written.startsWith('\\') ? decodeEscape(written) : written
  const last = stretches.at(-1)
  if (written.startsWith('\\') && !isNotable(character)) {
    if (last?.kind === 'escape') last.text += written
    else stretches.push({ kind: 'escape', text: written })
    return
  }
  if (last?.kind === 'hidden' && last.written === written) last.times++
  else stretches.push({ kind: 'hidden', character, written, times: 1 })
}

/** Line feed and tab are how text is written; as escapes they are plain to see. */
function isNotable(character: string): boolean {
  return character !== '\n' && character !== '\t' && isHidden(character)
}

const short: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** The character that a JSON escape (or an escaped surrogate pair) stands for. */
export function decodeEscape(escape: string): string {
  const letter = escape[1] ?? ''
  if (letter !== 'u') return short[letter] ?? letter
  return escape.replace(/\\u([0-9a-fA-F]{4})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
}

export function countHidden(stretches: readonly Stretch[]): number {
  return stretches.reduce((n, s) => n + (s.kind === 'hidden' ? s.times : 0), 0)
}

export function countForeign(stretches: readonly Stretch[]): number {
  return stretches.filter((s) => s.kind === 'foreign').length
}
