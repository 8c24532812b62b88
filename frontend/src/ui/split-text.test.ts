import { describe, expect, it } from 'vitest'
import { characterName, codePoint, isHidden } from './hidden-characters'
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
