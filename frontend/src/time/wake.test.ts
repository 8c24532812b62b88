import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { wake, type Waking } from './wake'

let waking: Waking
let next: number
const look = vi.fn(() => next)

beforeEach(() => {
  vi.useFakeTimers()
  next = Infinity
  waking = wake(look)
})

afterEach(() => {
  waking.stop()
  expect(vi.getTimerCount()).toBe(0)
  look.mockClear()
  vi.useRealTimers()
})

it('rings at the moment that was named, and no more', () => {
  expect(vi.getTimerCount()).toBe(0)
  waking.within(5000)
  waking.within(9000) // it looks before
  vi.advanceTimersByTime(4999)
  expect(look).not.toHaveBeenCalled()
  vi.advanceTimersByTime(60_000)
  expect(look).toHaveBeenCalledOnce()
  expect(vi.getTimerCount()).toBe(0)
})

it('rings sooner when something comes to be sooner, and again for what is next', () => {
  waking.within(9000)
  waking.within(1000)
  next = 2000
  vi.advanceTimersByTime(1000)
  expect(look).toHaveBeenCalledOnce()
  vi.advanceTimersByTime(2000)
  expect(look).toHaveBeenCalledTimes(2)
})

it('rings once an hour for what is far away: the machine may sleep meanwhile', () => {
  next = 30 * 86_400_000
  waking.within(next)
  vi.advanceTimersByTime(3_600_000)
  expect(look).toHaveBeenCalledOnce()
})

it('rings for what comes after a machine has slept past the moment', () => {
  waking.within(3_000_000)
  vi.setSystemTime(Date.now() + 36_000_000) // timers stood still
  waking.within(1000)
  vi.advanceTimersByTime(1000)
  expect(look).toHaveBeenCalledOnce()
})

it('does not ring in a page that nobody sees, and rings as it is seen again', () => {
  const seen = vi.spyOn(document, 'visibilityState', 'get')
  waking.within(1000)
  seen.mockReturnValue('hidden')
  document.dispatchEvent(new Event('visibilitychange'))
  expect(vi.getTimerCount()).toBe(0)
  waking.within(1000)
  vi.advanceTimersByTime(10_000)
  expect(look).not.toHaveBeenCalled()
  seen.mockReturnValue('visible')
  document.dispatchEvent(new Event('visibilitychange'))
  expect(look).toHaveBeenCalledOnce()
})
