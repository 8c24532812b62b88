/** Letters and signs that look like those of ASCII and are others. */
import { isPrintableAscii } from './hidden-characters'
import { once } from './once'
import { apart, face, foreign, odd, sign } from './spoof-tables'

/** The look-alikes of a table, for a class of a regular expression. */
const listOf = (table: typeof face) => table.map(([, characters]) => characters).join('')

/** What may look like a letter or a sign of ASCII, depending on what stands around it. */
export const lookAlikeSource = () => `[${listOf(face)}${listOf(foreign)}${listOf(sign)}]`

const looks = once(() => new Map([...face, ...foreign, ...sign, ...odd, ...apart].flatMap(([look, characters]) => [...characters].map((c) => [c, look] as const))))

const patterns = once(() => ({
  looksLatin: new RegExp(`[${listOf(face)}${listOf(foreign)}]`, 'u'),
  anyLookAlike: new RegExp(lookAlikeSource(), 'u'),
  signAmongPlain: new RegExp(`(?<=[\\w.~-])[${listOf(sign)}](?=[\\w.~-])`, 'gu'),
  /** Who writes Chinese, Japanese or Korean writes Latin letters beside. */
  foreignLetter: /[^\P{L}\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u,
  latin: /\p{Script=Latin}/u,
  /** What passes for ASCII in a name whatever stands around it. */
  always: new RegExp(`[${listOf(face)}${listOf(odd)}${listOf(sign)}]`, 'u'),
  /** What does in a name of such letters alone. */
  posing: new RegExp(`[${listOf(face)}${listOf(foreign)}${listOf(apart)}]`, 'u'),
}))

const wordCharacter = /[\p{L}\p{M}\p{N}]/u
const plainLetter = /[A-Za-z]/
/** Where letters of ASCII and others meet: only there can a word be mixed. */
const border = /[A-Za-z0-9][^\u0000-\u007f]|[^\u0000-\u007f][A-Za-z0-9]/g // eslint-disable-line no-control-regex -- all of ASCII

/** Where, in text of any kind, a look-alike stands in a word of plain letters: offset and length, in order. */
export function lookAlikesIn(text: string): [number, number][] {
  if (text.search(border) < 0) return []
  const { anyLookAlike, looksLatin, signAmongPlain } = patterns()
  if (!anyLookAlike.test(text)) return []
  const found: [number, number][] = []
  for (const [from, to] of mixedWords(text)) {
    const word = text.slice(from, to)
    if (plainLetter.test(word) && looksLatin.test(word)) push(found, word, from, (letter) => looksLatin.test(letter))
  }
  for (const match of text.matchAll(signAmongPlain)) {
    if (!found.some(([at]) => at === match.index)) found.push([match.index, match[0].length])
  }
  return found.sort(([a], [b]) => a - b)
}

/** The words in which letters of ASCII and others meet. */
function* mixedWords(text: string): Generator<[number, number]> {
  border.lastIndex = 0
  while (border.test(text)) {
    let to = border.lastIndex - 1
    let from = to
    for (; from > 0; from -= sizeBefore(text, from)) if (!wordCharacter.test(text.slice(from - sizeBefore(text, from), from))) break
    for (; to < text.length; to += sizeAt(text, to)) if (!wordCharacter.test(text.slice(to, to + sizeAt(text, to)))) break
    yield [from, to]
    border.lastIndex = Math.max(border.lastIndex, to)
  }
}

/** Halves of the character at a place, and of the one before it. */
function sizeAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}

function sizeBefore(text: string, at: number): number {
  return at > 1 && (text.codePointAt(at - 2) ?? 0) > 0xffff ? 2 : 1
}

/**
 * The same for paths, where also a word of nothing but look-alikes is one, as long
 * as no other letter says that the person simply writes in that script.
 */
export function lookAlikesInPath(path: string): [number, number][] {
  const { foreignLetter, looksLatin } = patterns()
  const found = lookAlikesIn(path)
  const foreignOnes = [...path].filter((letter) => foreignLetter.test(letter))
  if (foreignOnes.length === 0 || !foreignOnes.every((letter) => looksLatin.test(letter)) || !plainLetter.test(path)) return found
  push(found, path, 0, (letter) => looksLatin.test(letter))
  return [...new Map(found)].sort(([a], [b]) => a - b)
}

/** The same for names, which are read most carefully: every letter of another script among Latin ones, and all that only looks Latin. */
export function lookAlikesInName(name: string): [number, number][] {
  const { always, foreignLetter, latin, posing } = patterns()
  const letters = [...name].filter((letter) => /\p{L}/u.test(letter))
  const poses = letters.length > 0 && letters.every((letter) => posing.test(letter))
  const mixed = latin.test(name)
  const found: [number, number][] = []
  push(found, name, 0, (letter) => always.test(letter) || (poses && posing.test(letter)) || (mixed && foreignLetter.test(letter)))
  return found
}

function push(found: [number, number][], text: string, from: number, wanted: (letter: string) => boolean): void {
  let at = from
  for (const letter of text) {
    if (wanted(letter)) found.push([at, letter.length])
    at += letter.length
  }
}

/** What a name looks like to someone who sees ASCII only; null where it looks like itself or like no ASCII. */
export function looksLike(name: string, isHidden: (character: string) => boolean): string | null {
  if (isPrintableAscii(name)) return null
  const look = [...name].filter((c) => !isHidden(c)).map((c) => looks().get(c) ?? c).join('')
  return look !== name && look !== '' && isPrintableAscii(look) ? look : null
}
