import { describe, expect, it } from 'vitest'
import cases from '../test/data/spoof.json'
import { isHidden } from './hidden-characters'
import { lookAlikesIn, lookAlikesInName, looksLike } from './look-alikes'

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
