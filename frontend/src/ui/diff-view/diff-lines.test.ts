import { describe, expect, it } from 'vitest'
import { diffLines, textLines, type DiffLine } from './diff-lines'

const signs = { same: ' ', added: '+', removed: '-', gap: '~' }
const written = (lines: DiffLine[]) => lines.map((l) => (l.kind === 'gap' ? `~${String(l.count)}` : signs[l.kind] + l.text))
const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${String(i + 1)}`)

describe('diffLines', () => {
  it.each([
    ['a\nb\nc', 'a\nx\nc', [' a', '-b', '+x', ' c']],
    ['a\nb', 'a\nb\nc', [' a', ' b', '+c']],
    ['a\nb\nc', 'b\nc', ['-a', ' b', ' c']],
    ['', 'a', ['-', '+a']],
    ['same', 'same', []],
    ['a\nb\nc\nd', 'b\na\nd\nc', ['-a', ' b', '-c', '+a', ' d', '+c']],
  ])('of %j and %j', (before, after, lines) => {
    expect(written(diffLines(before, after))).toEqual(lines)
  })

  it('leaves out what is far from a change, with a count', () => {
    const before = numbered(40)
    const after = before.with(19, 'another')
    const lines = diffLines(before.join('\n'), after.join('\n'))
    expect(written(lines)).toEqual(['~16', ' line 17', ' line 18', ' line 19', '-line 20', '+another', ' line 21', ' line 22', ' line 23', '~17'])
    expect(lines[4]).toMatchObject({ old: 20, new: 0 })
    expect(lines[5]).toMatchObject({ old: 0, new: 20 })
    expect(lines[6]).toMatchObject({ old: 21, new: 21 })
  })

  it('gives both texts back', () => {
    const before = numbered(300).filter((_, i) => i % 4 !== 0)
    const after = numbered(300).filter((_, i) => i % 6 !== 0)
    const lines = diffLines(before.join('\n'), after.join('\n'))
    const side = (kind: string) => lines.filter((l) => l.kind === 'same' || l.kind === kind).map((l) => l.text)
    expect(lines.every((l) => l.kind !== 'gap')).toBe(true)
    expect(side('removed')).toEqual(before)
    expect(side('added')).toEqual(after)
  })

  it('does not search in what is too large, and shows all of it', () => {
    const [before, after] = [numbered(3000), numbered(3000).map((l) => `new ${l}`)]
    const start = performance.now()
    const lines = diffLines(before.join('\n'), after.join('\n'))
    expect(performance.now() - start).toBeLessThan(500)
    expect(lines.filter((l) => l.kind === 'removed')).toHaveLength(3000)
    expect(lines.filter((l) => l.kind === 'added')).toHaveLength(3000)
  })
})

describe('textLines', () => {
  it('numbers lines and says how they end where that is odd', () => {
    expect(textLines('a\r\nb\n')).toEqual([
      { kind: 'same', text: 'a', old: 0, new: 1, count: 0, ending: 'crlf' },
      { kind: 'same', text: 'b', old: 0, new: 2, count: 0, ending: '' },
      { kind: 'same', text: '', old: 0, new: 3, count: 0, ending: '' },
    ])
  })
})
