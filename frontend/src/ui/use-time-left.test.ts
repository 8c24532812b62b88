import { describe, expect, it } from 'vitest'
import { clockText, secondsLeft } from './use-time-left'

describe('the countdown', () => {
  it.each([
    [0, '0:00'],
    [9, '0:09'],
    [272, '4:32'],
    [3872, '1:04:32'],
  ])('writes %i seconds as %s', (seconds, text) => {
    expect(clockText(seconds)).toBe(text)
  })

  it('never says less than is left, and never below zero', () => {
    const until = '2026-01-01T00:01:00.000Z'
    const at = Date.parse(until)
    expect(secondsLeft(until, at - 1500)).toBe(2)
    expect(secondsLeft(until, at - 1)).toBe(1)
    expect(secondsLeft(until, at)).toBe(0)
    expect(secondsLeft(until, at + 5000)).toBe(0)
  })
})
