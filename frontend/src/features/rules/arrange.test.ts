import { describe, expect, it } from 'vitest'
import type { Rule } from '../../desk/types'
import { sampleRule } from '../../test/samples'
import { arranged, following, placesOf, stepOf, targetOf } from './arrange'
import { withGone } from './use-edits'

const all = ['a', 'b', 'c', 'd', 'e'].map((id) => sampleRule({ id }))
const some = all.filter(({ id }) => id !== 'b' && id !== 'e') // what a search shows: a c d
const ids = (rules: readonly { id: string }[]) => rules.map(({ id }) => id).join('')
const target = (shown: typeof all, id: string, to: number) => {
  const { before, place } = targetOf(all, shown, { id, to })
  return `${before?.id ?? 'end'} ${String(place)}`
}

describe('a rule on its way', () => {
  it('stands where it would stand', () => {
    expect(ids(arranged(all, { id: 'd', to: 0 }))).toBe('dabce')
    expect(ids(arranged(all, { id: 'a', to: 4 }))).toBe('bcdea')
    expect(ids(arranged(all, { id: 'a', to: 0 }))).toBe('abcde')
    expect(arranged(all, { id: 'gone', to: 0 })).toBe(all)
    expect(arranged(all, null)).toBe(all)
  })

  it('comes right before the next in view, and behind the last of them right behind it', () => {
    expect(target(all, 'd', 0)).toBe('a 1')
    expect(target(all, 'a', 2)).toBe('d 3')
    expect(target(all, 'a', 4)).toBe('end 5')
    expect(target(some, 'a', 1)).toBe('d 3')
    expect(target(some, 'd', 1)).toBe('c 3')
    expect(target(some, 'a', 2)).toBe('e 4')
    expect(target(all.slice(1, 2), 'b', 0)).toBe('c 2') // alone in view
    expect(target(some, 'a', 0)).toBe('b 1') // where it stood, whatever is hidden behind it
  })

  it('takes no deleted rule for a neighbour, and never lands beyond what it was dropped beside', () => {
    let seed = 7
    const random = (below: number) => (seed = (seed * 48271) % 0x7fffffff) % below
    for (let round = 0; round < 5000; round++) {
      const rules = Array.from({ length: 1 + random(6) }, (_, i) => sampleRule({ id: `r${String(i)}`, priority: 9 - i }))
      const gone = Array.from({ length: random(4) }, (_, i) => sampleRule({ id: `gone${String(i)}`, priority: random(10) }))
      const open = new Map(gone.map((rule) => [rule.id, rule]))
      const shown = withGone(rules, open).filter(({ id }) => open.has(id) || random(3) > 0)
      const moved = shown.filter(({ id }) => !open.has(id))[0]
      if (!moved) continue
      const moving = { id: moved.id, to: random(shown.length) }
      const { before, place } = targetOf(rules, shown, moving)
      const after = arranged(rules, { id: moved.id, to: place - 1 })
      expect(after[place]?.id, JSON.stringify([ids(rules), ids(shown), moving])).toBe(before?.id)
      // Those in view stand among each other as they were shown.
      const inView = (list: readonly Rule[]) => ids(list.filter((rule) => shown.includes(rule) && rules.includes(rule)))
      expect(inView(after), JSON.stringify([ids(rules), ids(shown), moving])).toBe(inView(arranged(shown, moving)))
    }
  })

  it('has a place among all', () => {
    expect([...placesOf(all, some, { id: 'd', to: 0 })]).toEqual([['d', 1], ['a', 2], ['b', 3], ['c', 4], ['e', 5]])
  })

  it('came from before another', () => {
    expect(following(all, 'a')?.id).toBe('b')
    expect(following(all, 'e')).toBeNull()
  })

  it.each([['ArrowUp', 4], ['ArrowDown', 6], ['PageUp', 0], ['PageDown', 15], ['Home', 0], ['End', 19], ['x', null]] as const)('goes by %s from 5 of 20 to %s', (key, to) => {
    expect(stepOf(key, 5, 20)).toBe(to)
  })

  it('does not go beyond the ends', () => {
    expect(['ArrowUp', 'PageUp'].map((key) => stepOf(key, 0, 3))).toEqual([0, 0])
    expect(['ArrowDown', 'PageDown'].map((key) => stepOf(key, 2, 3))).toEqual([2, 2])
  })
})
