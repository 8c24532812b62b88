import { describe, expect, it } from 'vitest'
import { Heights } from './heights'

describe('heights', () => {
  it('agree with plain sums, whatever is set', () => {
    const plain = Array.from({ length: 37 }, (_, i) => (i * 7) % 11)
    const heights = new Heights(plain.length, (i) => plain[i] ?? 0)
    const set = (index: number, height: number) => {
      heights.set(index, height)
      plain[index] = height
    }
    for (let round = 0; round < 200; round++) {
      set((round * 13) % 37, (round * 31) % 97)
      const at = (round * 5) % 38
      expect(heights.offset(at)).toBe(plain.slice(0, at).reduce((a, b) => a + b, 0))
      const y = (round * 53) % (heights.offset(37) + 40)
      const ends = plain.map((_, i) => heights.offset(i + 1))
      expect(heights.indexAt(y)).toBe(Math.min(36, ends.filter((end) => end <= y).length))
    }
  })

  it.each([0, 1, 2, 3, 64, 65])('find the ends of %i rows', (length) => {
    const heights = new Heights(length, () => 10)
    expect(heights.indexAt(-1)).toBe(0)
    expect(heights.indexAt(1e9)).toBe(Math.max(0, length - 1))
    expect(heights.offset(length)).toBe(length * 10)
    heights.set(length, 99) // there is no such row
    expect(heights.offset(length)).toBe(length * 10)
  })

  it('are set and found among a hundred thousand in no time', () => {
    const heights = new Heights(100_000, () => 50)
    const began = performance.now()
    for (let i = 0; i < 10_000; i++) {
      heights.set((i * 7919) % 100_000, 60)
      heights.indexAt((i * 104_729) % 5_000_000)
    }
    expect(performance.now() - began).toBeLessThan(500)
  })
})
