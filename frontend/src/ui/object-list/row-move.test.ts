import { describe, expect, it } from 'vitest'
import { landing, rowMove, type RowMove } from './row-move'

const key = (name: string, part: Partial<KeyboardEvent> = {}) => ({ key: name, code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...part })

describe('a key in a list', () => {
  it.each([
    ['ArrowDown', 'next'], ['ArrowUp', 'previous'], ['Home', 'first'], ['End', 'last'], ['j', 'nextItem'], ['K', 'previousItem'],
    ['ArrowRight', 'in'], ['ArrowLeft', 'out'], ['Enter', 'open'], ['Escape', 'leave'],
  ])('%s means %s', (name, move) => {
    expect(rowMove(key(name))).toBe(move)
  })

  it('is known by its place where the keyboard has letters of another script, and by its letter where it has Latin ones', () => {
    expect(rowMove(key('о', { code: 'KeyJ' }))).toBe('nextItem')
    expect(rowMove(key('л', { code: 'KeyK' }))).toBe('previousItem')
    expect(rowMove(key('h', { code: 'KeyJ' }))).toBeNull() // Dvorak
  })

  it.each(['a', 'Process', ' ', '/', 'F5'])('%j is none of its own', (name) => {
    expect(rowMove(key(name))).toBeNull()
  })

  it.each(['ctrlKey', 'metaKey', 'altKey', 'shiftKey'] as const)('with %s is none of its own', (modifier) => {
    expect(rowMove(key('Enter', { [modifier]: true }))).toBeNull()
    expect(rowMove(key('j', { [modifier]: true }))).toBeNull()
  })
})

describe('a move', () => {
  const isItem = (index: number) => index % 3 !== 0 // rows 0, 3, 6 are headings

  it.each<[RowMove, number, number]>([
    ['next', 0, 1], ['next', 7, 7], ['previous', 3, 2], ['previous', 0, 0], ['first', 5, 0], ['last', 2, 7],
    ['nextItem', 2, 4], ['nextItem', 7, 7], ['previousItem', 4, 2], ['previousItem', 1, 1], ['pageDown', 1, 7], ['pageUp', 5, 0], ['open', 4, 4],
  ])('%s from row %d leads to row %d', (move, at, to) => {
    expect(landing(move, at, 8, isItem)).toBe(to)
  })
})
