/** Letters and signs that look like those of ASCII and are others. */

/** Pairs of a look-alike and what it looks like. */
const pairs = [
  // Cyrillic
  'аa еe оo рp сc уy хx ѕs іi јj һh ԁd ԛq ԝw ӏl ѵv гr пn үy ѡw ҽe',
  'АA ВB ЕE КK МM НH ОO РP СC ТT ХX ІI ЈJ ЅS УY ҮY ԚQ ԜW ӀI ѴV ԌG З3',
  // Greek and Coptic
  'αa οo νv ρp υu ιi κk γy σo ηn ϲc ϳj ⲟo ⲥc ⲣp ⲁa',
  'ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ϹC ⲞO ⲤC',
  // Cherokee
  'ᎠD ᎡR ᎢT ᎥI ᎪA ᎫJ ᎬE ᎳW ᎷM ᎻH ᎽY ᏀG ᏃZ ᏒR ᏔW ᏕS ᏙV ᏚS ᏞL ᏟC ᏢP ᏦK ᏴB ᏏB',
  // Armenian
  'օo սu ոn հh ցg զq յj ՕO ՍU ՏS ԼL',
  // Lisu
  'ꓐB ꓑP ꓓD ꓔT ꓖG ꓗK ꓙJ ꓚC ꓜZ ꓝF ꓟM ꓠN ꓡL ꓢS ꓣR ꓦV ꓧH ꓪW ꓫX ꓬY ꓮA ꓰE ꓲI ꓳO ꓴU',
]

/** Odd letters of the Latin script itself. Words of several languages have them: they count in names only. */
const oddLatin = 'ıi ȷj ɑa ɡg ɩi ǀl ᴄc ᴏo ᴠv ᴡw ᴢz ᴜu ꜱs'

const looks = new Map([...pairs, oddLatin].flatMap((line) => line.split(' ')).map((pair) => [...pair] as [string, string]))

const listed = pairs.join('').replace(/[\u0020-\u007e]/g, '')
/** Letters and digits of other widths and faces. */
const faces = String.raw`\ufb00-\ufb06\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\u{1d400}-\u{1d7ff}\u210a-\u2113\u2115\u2119-\u211d\u2124\u212a-\u212d\u212f-\u2131\u2133\u2134\u2139`
/** Signs that look like those which part paths and addresses. */
const signs = '\u2024\u2044\u2215\u29f8\u29f9\ua789\ufe52\ufe68\uff0e\uff0f\uff1a\uff3c\u2236'

const looksLatin = new RegExp(`[${listed}${faces}]`, 'u')

/** What may look like a letter or a sign of ASCII, depending on what stands around it. */
export const lookAlikeSource = `[${listed}${faces}${signs}]`

const anyLookAlike = new RegExp(lookAlikeSource, 'u')
const wordCharacter = /[\p{L}\p{M}\p{N}]/u
const plainLetter = /[A-Za-z]/
/** Where letters of ASCII and others meet: only there can a word be mixed. */
const border = /[A-Za-z0-9][^\u0000-\u007f]|[^\u0000-\u007f][A-Za-z0-9]/g // eslint-disable-line no-control-regex -- all of ASCII
const signAmongPlain = new RegExp(`(?<=[\\w.~-])[${signs}](?=[\\w.~-])`, 'gu')

/** Where, in text of any kind, a look-alike stands in a word of plain letters: offset and length, in order. */
export function lookAlikesIn(text: string): [number, number][] {
  if (text.search(border) < 0 || !anyLookAlike.test(text)) return []
  const found: [number, number][] = []
  for (const [from, to] of mixedWords(text)) {
    const word = text.slice(from, to)
    if (plainLetter.test(word) && looksLatin.test(word)) push(found, word, from, (letter) => looksLatin.test(letter))
  }
  for (const match of text.matchAll(signAmongPlain)) found.push([match.index, match[0].length])
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
  const found = lookAlikesIn(path)
  const foreign = [...path].filter((letter) => foreignLetter.test(letter))
  if (foreign.length === 0 || !foreign.every((letter) => looksLatin.test(letter)) || !plainLetter.test(path)) return found
  push(found, path, 0, (letter) => looksLatin.test(letter))
  return [...new Map(found)].sort(([a], [b]) => a - b)
}

// Who writes Chinese, Japanese or Korean writes Latin letters beside.
const foreignLetter = /[^\P{L}\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u
const latin = /\p{Script=Latin}/u
const odd = new RegExp(`[${oddLatin.replace(/[\u0020-\u007e]/g, '')}${faces}${signs}]`, 'u')

/** The same for names, which are read most carefully: every letter of another script among Latin ones, and all that only looks Latin. */
export function lookAlikesInName(name: string): [number, number][] {
  const letters = [...name].filter((letter) => /\p{L}/u.test(letter))
  const poses = letters.length > 0 && letters.every((letter) => looksLatin.test(letter))
  const mixed = latin.test(name)
  const found: [number, number][] = []
  push(found, name, 0, (letter) => odd.test(letter) || (poses && looksLatin.test(letter)) || (mixed && foreignLetter.test(letter)))
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
  const look = [...name].filter((c) => !isHidden(c)).map((c) => looks.get(c) ?? face(c)).join('')
  return look !== name && look !== '' && /^[\u0020-\u007e]*$/.test(look) ? look : null
}

const faceOnly = new RegExp(`[${faces}${signs}]`, 'u')
const signLooks = new Map([...signs].map((sign) => [sign, sign.normalize('NFKC')]))
for (const [sign, look] of [['\u2044', '/'], ['\u2215', '/'], ['\u29f8', '/'], ['\u29f9', '\\'], ['\ua789', ':'], ['\u2236', ':']] as const) signLooks.set(sign, look)

function face(character: string): string {
  return signLooks.get(character) ?? (faceOnly.test(character) ? character.normalize('NFKC') : character)
}
