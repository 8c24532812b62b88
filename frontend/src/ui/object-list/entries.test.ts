import { expect, it } from 'vitest'
import { entriesOf, headingKey, stretchesOf, type Entries, type Group } from './entries'

const groups = [{ key: 'a', items: ['1', '2'] }, { key: 'b', items: ['3'] }]
const keyOf = (item: string) => item
const none = new Set<string>()
const rows = ({ entries, total }: Entries<string, Group<string>>) => [total, ...entries.map(({ key, place }) => `${key}: ${String(place)}`)]

it('headings and items stand in one order, and each item knows its place among all items', () => {
  expect(rows(entriesOf(null, groups, keyOf, none))).toEqual([3, 'group a: 0', '1: 1', '2: 2', 'group b: 0', '3: 3'])
})

it('of a folded group the heading alone is a row, and its items keep their places', () => {
  expect(rows(entriesOf(null, groups, keyOf, new Set([headingKey('a')])))).toEqual([3, 'group a: 0', 'group b: 0', '3: 3'])
})

it('stretches end where another key follows, and are known by their last item', () => {
  const of = (items: string[]) => stretchesOf(null, items, (item) => item.slice(0, 1), keyOf).groups
  expect(of(['x1', 'x2', 'y1', 'x3'])).toEqual([{ key: 'x2', items: ['x1', 'x2'] }, { key: 'y1', items: ['y1'] }, { key: 'x3', items: ['x3'] }])
  expect(of([])).toEqual([])
})

it('a stretch stays the same when more of it come, at the end or at the beginning', () => {
  const of = (before: ReturnType<typeof stretchesOf<string>> | null, items: string[]) => stretchesOf(before, items, (item) => item.slice(0, 1), keyOf)
  const first = of(null, ['x1', 'y1', 'y2'])
  const longer = of(first, ['x1', 'y1', 'y2', 'y3', 'x4'])
  expect(longer.groups).toEqual([{ key: 'x1', items: ['x1'] }, { key: 'y2', items: ['y1', 'y2', 'y3'] }, { key: 'x4', items: ['x4'] }])
  expect(longer.groups[0]).toBe(first.groups[0])
  expect(first.groups[1]?.items).toEqual(['y1', 'y2'])
  expect(of(longer, ['x0', 'x1', 'y1', 'y2', 'y3', 'x4']).groups.map(({ key }) => key)).toEqual(['x1', 'y2', 'x4'])
})

it('however groups change, their rows are the same as if they were made at once', () => {
  const steps: Group<string>[][] = [
    groups, [...groups, { key: 'c', items: ['4', '5'] }], [groups[0] as Group<string>, { key: 'b', items: ['3', '4'] }], [{ key: 'a', items: ['1', '9', '2'] }, groups[1] as Group<string>],
    [{ key: 'z', items: ['0'] }, ...groups], [], groups, [groups[0] as Group<string>], [{ key: 'a', items: ['1'] }], [{ key: 'a', items: ['1', '2', '3'] }],
  ]
  for (const folded of [none, new Set([headingKey('a')]), new Set([headingKey('b')])]) {
    let before: Entries<string, Group<string>> | null = null
    for (const step of [...steps, ...steps.toReversed()]) {
      before = entriesOf(before, step, keyOf, folded)
      expect(rows(before)).toEqual(rows(entriesOf(null, step, keyOf, folded)))
    }
  }
})
