/**
 * Characters that a reader cannot see, or that change how others are seen:
 * controls, bidi and zero-width marks, tags, fillers, odd blanks, private use,
 * lone surrogates. They are shown as marked chips wherever an agent's text is.
 */

import { once } from './once'
import { ignorable } from './spoof-tables'

/** Whether text is printable ASCII, as most is: nothing of it is hidden, or looks like another letter. Tabs and line feeds are no part of it. */
export function isPrintableAscii(text: string): boolean {
  return /^[ -~]*$/.test(text)
}

/** Signs of other kinds that draw nothing, or only a box, and marks that strike letters out or frame them. */
const blank = String.raw`\u2800\ufffc\u{13441}\u{13442}\u{1d159}`
const overlay = String.raw`\u{16fe4}\u0334-\u0338\u0488\u0489\u20d2\u20d3\u20d8-\u20da\u20dd-\u20e0\u20e2-\u20e6\u20ea\u20eb`

/** Of hidden characters, everything but the ordinary blank. */
export const hiddenSource = String.raw`(?:(?! )[\p{C}\p{Z}${ignorable}]|[${blank}]|[${overlay}])`

/** More combining marks than this on one letter hide it. */
export const marksPerLetter = 3

/** Combining marks beyond what a letter of any language carries. */
export const stackedSource = String.raw`(?<=\p{M}{${String(marksPerLetter)}})\p{M}`

const hidden = once(() => new RegExp(`^(?:${hiddenSource})$`, 'u'))

export function isHidden(character: string): boolean {
  return !isPrintableAscii(character) && hidden().test(character)
}

/** U+202E, U+E0041 … */
export function codePoint(character: string): string {
  return 'U+' + (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
}

/** The Unicode name of the well-known ones, a kind for the others. */
export function characterName(character: string): string {
  const point = character.codePointAt(0) ?? 0
  const known = names.get(point)
  if (known) return known
  const kind = kinds().find(([pattern]) => pattern.test(character))
  return kind ? kind[1] : 'HIDDEN CHARACTER'
}

const kinds = once((): [RegExp, string][] => [
  [/^[\u{E0000}-\u{E007F}]$/u, 'TAG CHARACTER'],
  [/^\p{Variation_Selector}$/u, 'VARIATION SELECTOR'],
  [/^\p{Cc}$/u, 'CONTROL CHARACTER'],
  [/^\p{Cs}$/u, 'LONE SURROGATE'],
  [/^\p{Co}$/u, 'PRIVATE USE CHARACTER'],
  [/^\p{Cn}$/u, 'UNASSIGNED CHARACTER'],
  [/^\p{Z}$/u, 'UNUSUAL SPACE'],
  [/^\p{M}$/u, 'COMBINING MARK'],
])

const names = new Map<number, string>([
  [0x00, 'NULL'],
  [0x07, 'BELL'],
  [0x08, 'BACKSPACE'],
  [0x09, 'TAB'],
  [0x0a, 'LINE FEED'],
  [0x0b, 'VERTICAL TAB'],
  [0x0c, 'FORM FEED'],
  [0x0d, 'CARRIAGE RETURN'],
  [0x1b, 'ESCAPE'],
  [0x7f, 'DELETE'],
  [0x85, 'NEXT LINE'],
  [0x9b, 'CONTROL SEQUENCE INTRODUCER'],
  [0xa0, 'NO-BREAK SPACE'],
  [0xad, 'SOFT HYPHEN'],
  [0x034f, 'COMBINING GRAPHEME JOINER'],
  [0x061c, 'ARABIC LETTER MARK'],
  [0x115f, 'HANGUL CHOSEONG FILLER'],
  [0x1160, 'HANGUL JUNGSEONG FILLER'],
  [0x1680, 'OGHAM SPACE MARK'],
  [0x17b4, 'KHMER VOWEL INHERENT AQ'],
  [0x17b5, 'KHMER VOWEL INHERENT AA'],
  [0x180e, 'MONGOLIAN VOWEL SEPARATOR'],
  [0x2002, 'EN SPACE'],
  [0x2003, 'EM SPACE'],
  [0x2007, 'FIGURE SPACE'],
  [0x2009, 'THIN SPACE'],
  [0x200a, 'HAIR SPACE'],
  [0x200b, 'ZERO WIDTH SPACE'],
  [0x200c, 'ZERO WIDTH NON-JOINER'],
  [0x200d, 'ZERO WIDTH JOINER'],
  [0x200e, 'LEFT-TO-RIGHT MARK'],
  [0x200f, 'RIGHT-TO-LEFT MARK'],
  [0x2028, 'LINE SEPARATOR'],
  [0x2029, 'PARAGRAPH SEPARATOR'],
  [0x202a, 'LEFT-TO-RIGHT EMBEDDING'],
  [0x202b, 'RIGHT-TO-LEFT EMBEDDING'],
  [0x202c, 'POP DIRECTIONAL FORMATTING'],
  [0x202d, 'LEFT-TO-RIGHT OVERRIDE'],
  [0x202e, 'RIGHT-TO-LEFT OVERRIDE'],
  [0x202f, 'NARROW NO-BREAK SPACE'],
  [0x205f, 'MEDIUM MATHEMATICAL SPACE'],
  [0x2060, 'WORD JOINER'],
  [0x2061, 'FUNCTION APPLICATION'],
  [0x2062, 'INVISIBLE TIMES'],
  [0x2063, 'INVISIBLE SEPARATOR'],
  [0x2064, 'INVISIBLE PLUS'],
  [0x2066, 'LEFT-TO-RIGHT ISOLATE'],
  [0x2067, 'RIGHT-TO-LEFT ISOLATE'],
  [0x2068, 'FIRST STRONG ISOLATE'],
  [0x2069, 'POP DIRECTIONAL ISOLATE'],
  [0x2800, 'BRAILLE PATTERN BLANK'],
  [0x3000, 'IDEOGRAPHIC SPACE'],
  [0x3164, 'HANGUL FILLER'],
  [0xfeff, 'ZERO WIDTH NO-BREAK SPACE'],
  [0xffa0, 'HALFWIDTH HANGUL FILLER'],
  [0xfff9, 'INTERLINEAR ANNOTATION ANCHOR'],
  [0xfffa, 'INTERLINEAR ANNOTATION SEPARATOR'],
  [0xfffb, 'INTERLINEAR ANNOTATION TERMINATOR'],
])
