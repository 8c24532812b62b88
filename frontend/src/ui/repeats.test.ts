import { expect, it } from 'vitest'
import { isBlank, runsOf } from './repeats'

const written = (keys: string[]) => runsOf(keys).map(({ from, count, blank }) => `${String(from)}x${String(count)}${blank ? ' blank' : ''}`)

it('folds a run of equal lines, and of blank ones', () => {
  expect(written(['a', '', '', '', '', '', 'b', 'c', 'c', 'c', 'c'])).toEqual(['0x1', '1x5 blank', '6x1', '7x4'])
})

it('leaves short runs and alternating lines alone', () => {
  expect(written(['', '', '', 'a', 'b', 'a', 'b'])).toHaveLength(7)
})

it('keeps every line, in its order', () => {
  const keys = [...'aabbbbbcddddde'].map((letter) => (letter === 'b' ? '' : letter))
  expect(runsOf(keys).flatMap(({ from, count }) => Array.from({ length: count }, (_, i) => from + i))).toEqual(keys.map((_, i) => i))
})

it('takes no character that hides for a blank', () => {
  expect([' \t', '\u200b', '\u00a0', '\u2003', '\r', 'x'].map(isBlank)).toEqual([true, false, false, false, false, false])
})
