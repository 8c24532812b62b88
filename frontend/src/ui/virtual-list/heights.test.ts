import { describe, expect, it } from 'vitest'
import { Heights } from './heights'

function heightsOf(length: number, estimate: number, heightOf: (index: number) => number | undefined = () => undefined): Heights {
  const heights = new Heights(estimate)
  for (let i = 0; i < length; i++) heights.push(heightOf(i))
  return heights
}

describe('heights', () => {
  it('agree with plain sums, whatever is set, added, cut and estimated', () => {
    const plain = Array.from({ length: 37 }, (_, i) => (i % 3 === 0 ? undefined : (i * 7) % 11))
    const heights = heightsOf(37, 5, (i) => plain[i])
    for (let round = 0; round < 400; round++) {
      heights.estimate = 3 + (round % 4)
      if (round % 50 === 49) {
        heights.cut(30)
        plain.length = Math.min(plain.length, 30)
      }
      if (round % 3 === 0) {
        const height = round % 2 === 0 ? undefined : round % 19
        heights.push(height)
        plain.push(height)
      }
      const index = (round * 13) % plain.length
      heights.set(index, (round * 31) % 97)
      plain[index] = (round * 31) % 97
      expect(heights.length).toBe(plain.length)
      const now = plain.map((height) => height ?? heights.estimate)
      const at = (round * 5) % (now.length + 1)
      expect(heights.offset(at)).toBe(now.slice(0, at).reduce((a, b) => a + b, 0))
      expect(heights.of(index)).toBe(now[index])
      const y = (round * 53) % (heights.offset(now.length) + 40)
      const ends = now.map((_, i) => heights.offset(i + 1))
      expect(heights.indexAt(y)).toBe(Math.min(now.length - 1, ends.filter((end) => end <= y).length))
    }
  })

  it.each([0, 1, 2, 3, 63, 64, 65])('find the ends of %i rows', (length) => {
    const heights = heightsOf(length, 10)
    expect(heights.indexAt(-1)).toBe(0)
    expect(heights.indexAt(1e9)).toBe(Math.max(0, length - 1))
    expect(heights.offset(length)).toBe(length * 10)
    heights.set(length, 99) // there is no such row
    expect([heights.offset(length + 1), heights.of(length)]).toEqual([length * 10, 0])
  })

  it('are set and found among a hundred thousand in no time', () => {
    const heights = heightsOf(100_000, 50)
    const began = performance.now()
    for (let i = 0; i < 10_000; i++) {
      heights.set((i * 7919) % 100_000, 60)
      heights.indexAt((i * 104_729) % 5_000_000)
    }
    expect(performance.now() - began).toBeLessThan(500)
  })
})
