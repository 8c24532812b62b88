import { hiddenSource, isHidden, stackedSource } from './hidden-characters'

/** A stretch of an agent's text: as it is, a run of one hidden character, a foreign letter, or a JSON escape. */
export type Stretch =
  | { kind: 'plain' | 'escape'; text: string }
  /** written is what stood in the text: the character itself, or its escape. */
  | { kind: 'hidden'; character: string; written: string; times: number }
  | { kind: 'foreign'; text: string }

const plainText = new RegExp(`${hiddenSource}|${stackedSource}`, 'gu')

/** Splits text that is shown as it is: names, folders, reasons, descriptions. */
export function splitText(text: string): Stretch[] {
  return split(text, plainText)
}

// Line feeds part the lines of a text; in a JSON string none can stand.
const inLines = String.raw`(?!\n)${hiddenSource}`
const rawText = new RegExp(`${inLines}|${stackedSource}`, 'gu')

/** Splits text of several lines that is not JSON. */
export function splitRawText(text: string): Stretch[] {
  return split(text, rawText)
}

// Escapes come first and are taken whole, so that \\u202e is a backslash and letters.
const escapes = String.raw`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.`
const jsonText = new RegExp(`${escapes}|${inLines}|${stackedSource}`, 'gsu')

/** Splits JSON text: escapes stay as they were sent. */
export function splitJsonText(text: string): Stretch[] {
  return split(text, jsonText)
}

function split(text: string, pattern: RegExp): Stretch[] {
  const stretches: Stretch[] = []
  let from = 0
  for (const match of text.matchAll(pattern)) {
    if (match.index > from) stretches.push({ kind: 'plain', text: text.slice(from, match.index) })
    add(stretches, match[0])
    from = match.index + match[0].length
  }
  if (from < text.length) stretches.push({ kind: 'plain', text: text.slice(from) })
  return stretches
}

function add(stretches: Stretch[], written: string): void {
  const character = written.startsWith('\\') ? decodeEscape(written) : written
  if (written.startsWith('\\') && !isNotable(character)) {
    stretches.push({ kind: 'escape', text: written })
    return
  }
  const last = stretches.at(-1)
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

const latin = /\p{Script=Latin}/u
const foreignLetter = /[^\P{L}\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/gu

/** Splits a name; letters of other scripts among Latin ones look like them and are marked. */
export function splitName(text: string): Stretch[] {
  const stretches = splitText(text)
  if (!latin.test(text)) return stretches
  return stretches.flatMap((s) => (s.kind === 'plain' ? markForeign(s.text) : [s]))
}

function markForeign(text: string): Stretch[] {
  const stretches: Stretch[] = []
  let from = 0
  for (const match of text.matchAll(foreignLetter)) {
    if (match.index > from) stretches.push({ kind: 'plain', text: text.slice(from, match.index) })
    stretches.push({ kind: 'foreign', text: match[0] })
    from = match.index + match[0].length
  }
  if (from < text.length) stretches.push({ kind: 'plain', text: text.slice(from) })
  return stretches
}
