import { describe, expect, it } from 'vitest'
import cases from '../test/data/spoof.json'
import { hiddenSource, isHidden, isPrintableAscii, stackedSource } from './hidden-characters'
import { lookAlikesIn, lookAlikesInName, lookAlikeSource, looksLike } from './look-alikes'
import { splitName, splitText } from './split-text'
import * as tables from './spoof-tables'

interface Case {
  as: string
  text: string
  lookAlikes: string
  hidden?: string
  looks?: string
}

const marked = (text: string, marks: [number, number][]) => marks.map(([at, length]) => text.slice(at, at + length)).join('')

/** The desk is held against the same cases. */
describe.each(cases as Case[])('$as $text', ({ as, text, lookAlikes, hidden = '', looks }) => {
  it('has the same marks on the page as at the desk', () => {
    expect(marked(text, as === 'name' ? lookAlikesInName(text) : lookAlikesIn(text))).toBe(lookAlikes)
    if (as === 'name') expect([...text].filter(isHidden).join('')).toBe(hidden)
    if (looks !== undefined) expect(looksLike(text, isHidden)).toBe(looks)
  })
})

it('marks nothing of printable ASCII: text of it is not looked at', () => {
  const ascii = String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i))
  expect(ascii.match(new RegExp([hiddenSource, stackedSource, lookAlikeSource()].join('|'), 'gu'))).toBeNull()
  const { face, foreign, sign, odd, apart } = tables
  for (const [, characters] of [...face, ...foreign, ...sign, ...odd, ...apart]) expect(characters).not.toMatch(/[ -~]/)
  for (let code = 0; code < 0x100; code++) {
    const character = String.fromCharCode(code)
    expect([code, isPrintableAscii(character)]).toEqual([code, ascii.includes(character)])
    if (code < 32 || code === 127) expect(splitName(`a${character}b`).map(({ kind }) => kind)).toEqual(['plain', 'hidden', 'plain'])
  }
  expect(splitText('')).toEqual([])
})
