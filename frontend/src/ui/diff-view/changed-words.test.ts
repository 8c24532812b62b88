import { expect, it } from 'vitest'
import { changedWords } from './changed-words'
import { diffLines } from './diff-lines'

const marked = (before: string, after: string) => {
  const lines = diffLines(before, after)
  const parts = changedWords(lines)
  return lines.map((line, i) => parts.get(i)?.map(({ text, changed }) => (changed ? `[${text}]` : text)).join('') ?? line.text)
}

it('marks the words that are other, in both lines', () => {
  expect(marked('let port = 8080; // ours', 'let port = 9090; // ours')).toEqual(['let port = [8080]; // ours', 'let port = [9090]; // ours'])
  expect(marked('a b', 'a c b')).toEqual(['a b', 'a [c ]b'])
})

it('cuts no word in two, whatever its script', () => {
  expect(marked('admin is paypal now', 'admin is pаypal now')).toEqual(['admin is [paypal] now', 'admin is [pаypal] now'])
})

it('marks nothing where lines have little in common, or are not as many', () => {
  expect(marked('one two three', 'quite another thing')).toEqual(['one two three', 'quite another thing'])
  expect(marked('x = 1\ny = 2', 'x = 3')).toEqual(['x = 1', 'y = 2', 'x = 3'])
})

it('gives every line back whole', () => {
  const before = 'const a = [1, 2]\n\tcall(a, "x")  \nend'
  const after = 'const b = [1, 3]\n\tcall(b, "y")\nend'
  const lines = diffLines(before, after)
  for (const [i, parts] of changedWords(lines)) expect(parts.map(({ text }) => text).join('')).toBe(lines[i]?.text)
})

it('takes very long lines as a whole', () => {
  expect(changedWords(diffLines(`${'a '.repeat(5000)}x`, `${'a '.repeat(5000)}y`)).size).toBe(0)
})
