import { describe, expect, it } from 'vitest'
import { characterName, codePoint, isHidden } from './hidden-characters'
import { looksLike } from './look-alikes'
import { countHidden, splitJsonText, splitName, splitText, type Stretch } from './split-text'

const written = (stretches: Stretch[]) => stretches.map((s) => (s.kind === 'hidden' ? s.written.repeat(s.times) : s.text)).join('')

describe('hidden characters', () => {
  it.each(['\u0000', '\u001b', '\u007f', '\u0085', '\u009b', '\r', '\u00a0', '\u00ad', '\u034f', '\u061c', '\u115f', '\u1160', '\u180e', '\u200b', '\u200c', '\u200d', '\u200e', '\u2028', '\u202e', '\u2060', '\u2066', '\u2068', '\u2800', '\u3000', '\u3164', '\ufe0f', '\ufeff', '\uffa0', '\u{E0041}', '\u{E0100}', '\ue000', '\ud800'])('%j is one', (c) => {
    expect(isHidden(c)).toBe(true)
  })

  it.each([' ', 'a', 'é', '日', 'я', '😀', '\u0301', '—', '¿'])('%j is none', (c) => {
    expect(isHidden(c)).toBe(false)
  })

  it('are named', () => {
    expect(codePoint('\u202e')).toBe('U+202E')
    expect(codePoint('\u{E0041}')).toBe('U+E0041')
    expect(characterName('\u202e')).toBe('RIGHT-TO-LEFT OVERRIDE')
    expect(characterName('\u{E0041}')).toBe('TAG CHARACTER')
    expect(characterName('\u0002')).toBe('CONTROL CHARACTER')
  })
})

describe('splitText', () => {
  it('keeps every character and folds runs', () => {
    const text = 'a\u200b\u200b\u200bb\u202ec'
    const stretches = splitText(text)
    expect(written(stretches)).toBe(text)
    expect(stretches).toContainEqual({ kind: 'hidden', character: '\u200b', written: '\u200b', times: 3 })
    expect(countHidden(stretches)).toBe(4)
  })
})

describe('splitJsonText', () => {
  it('leaves escapes as sent and marks those of hidden characters', () => {
    const stretches = splitJsonText('"a\\n\\u202e\\u0041\\\\u202e"')
    expect(written(stretches)).toBe('"a\\n\\u202e\\u0041\\\\u202e"')
    expect(stretches.filter((s) => s.kind === 'hidden')).toEqual([{ kind: 'hidden', character: '\u202e', written: '\\u202e', times: 1 }])
  })

  it('reads an escaped pair as one character', () => {
    expect(splitJsonText('\\udb40\\udc41')).toEqual([{ kind: 'hidden', character: '\u{E0041}', written: '\\udb40\\udc41', times: 1 }])
    expect(splitJsonText('\\ud83d\\ude00')).toEqual([{ kind: 'escape', text: '\\ud83d\\ude00' }])
  })
})

describe('what is neither hidden nor plain', () => {
  it.each([
    ['/a/\u05d0\u05d1 \u05d2/1', ['/a/', '\u05d0\u05d1 \u05d2', '/1']],
    ['x\u0627\u202e\u0628', ['x', '\u0627', '\u202e', '\u0628']],
    [`a${' '.repeat(40)}b`, ['a', ' '.repeat(40), 'b']],
    [`a${' '.repeat(39)}b`, [`a${' '.repeat(39)}b`]],
    ['p\u0430y \u0445\u043e\u0440', ['p', '\u0430', 'y \u0445\u043e\u0440']],
    ['a\uff0fb \u2215', ['a', '\uff0f', 'b \u2215']],
    ['10\u00b5s \u03a9m \u4e00a', ['10\u00b5s \u03a9m \u4e00a']],
    ['r\u{1d426}', ['r', '\u{1d426}']],
  ])('parts %j', (text, parts) => {
    const stretches = splitText(text)
    expect(stretches.map((s) => (s.kind === 'hidden' ? s.written : s.text))).toEqual(parts)
    expect(written(stretches)).toBe(text)
  })

  it('is told apart by its kind', () => {
    expect(splitText(`p\u0430y \u05d0${' '.repeat(50)}`).map((s) => s.kind)).toEqual(['plain', 'foreign', 'plain', 'leftward', 'blanks'])
  })

  it('is hidden before it is foreign', () => {
    expect(splitName('a\u{13441}b\u0455').map((s) => s.kind)).toEqual(['plain', 'hidden', 'plain', 'foreign'])
  })

  it('does not take the letter of an escape for one of the word behind it', () => {
    expect(splitJsonText('"\\nприветр"').map((s) => s.kind)).toEqual(['plain', 'escape', 'plain'])
    expect(splitJsonText('"nр"').map((s) => s.kind)).toEqual(['plain', 'foreign', 'plain'])
  })

  it('is found in long words without going over them again and again', () => {
    const start = performance.now()
    splitText('a\u0430'.repeat(100_000))
    splitText(`${'a'.repeat(200_000)}\u0430`)
    expect(performance.now() - start).toBeLessThan(3000)
  })
})

describe('looksLike', () => {
  it.each([
    ['git_\u0455tatus', 'git_status'],
    ['a\u200bb', 'ab'],
    ['\uff52\uff4d', 'rm'],
    ['read_file', null],
    ['чтение', null],
    ['\u200b', null],
  ])('of %j is %j', (name, look) => {
    expect(looksLike(name, isHidden)).toBe(look)
  })
})

describe('splitName', () => {
  it.each([
    ['git_\u0455tatus', ['\u0455']],
    ['fi\u04cfesystem', ['\u04cf']],
    ['read_file', []],
    ['чтение', []],
    ['ファイル_read', []],
  ])('marks letters of other scripts in %s', (name, letters) => {
    expect(splitName(name).filter((s) => s.kind === 'foreign').map((s) => s.text)).toEqual(letters)
    expect(written(splitName(name))).toBe(name)
  })
})
