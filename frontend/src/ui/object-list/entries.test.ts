import { expect, it } from 'vitest'
import { entriesOf, headingKey, stretchesOf } from './entries'

const groups = [{ key: 'a', items: ['1', '2'] }, { key: 'b', items: ['3'] }]
const keyOf = (item: string) => item

it('headings and items stand in one order, and each item knows its place among all items', () => {
  const { entries, total } = entriesOf(groups, keyOf, new Set())
  expect(entries.map(({ key, place }) => [key, place])).toEqual([['group a', 0], ['1', 1], ['2', 2], ['group b', 0], ['3', 3]])
  expect(total).toBe(3)
})

it('of a folded group the heading alone is a row, and its items keep their places', () => {
  const { entries, total } = entriesOf(groups, keyOf, new Set([headingKey('a')]))
  expect(entries.map(({ key, place }) => [key, place])).toEqual([['group a', 0], ['group b', 0], ['3', 3]])
  expect(total).toBe(3)
})

it('stretches end where another key follows, and are known by their last item', () => {
  const stretches = stretchesOf(['x1', 'x2', 'y1', 'x3'], (item) => item.slice(0, 1), keyOf)
  expect(stretches).toEqual([{ key: 'x2', items: ['x1', 'x2'] }, { key: 'y1', items: ['y1'] }, { key: 'x3', items: ['x3'] }])
  expect(stretchesOf([], keyOf, keyOf)).toEqual([])
})
