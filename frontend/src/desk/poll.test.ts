import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { FakeDesk } from './fake-desk'
import { pollWithoutEvents, type Poll } from './poll'

const desk = new FakeDesk()
const ask = vi.fn()
let poll: Poll
let answered = true

beforeEach(() => {
  vi.useFakeTimers()
  desk.eventsNow = false
  answered = true
})

afterEach(() => {
  poll.stop()
  ask.mockReset()
  vi.useRealTimers()
})

it('asks while no events come, and no more once they do', () => {
  poll = pollWithoutEvents(desk, { everyMs: 1000, ask, answered: () => answered })
  vi.advanceTimersByTime(3000)
  expect(ask).toHaveBeenCalledTimes(3)
  desk.eventsNow = true
  vi.advanceTimersByTime(3000)
  expect(ask).toHaveBeenCalledTimes(3)
  desk.eventsNow = false
  vi.advanceTimersByTime(1000)
  expect(ask).toHaveBeenCalledTimes(4)
})

it('asks again for what was not answered, whatever events come', () => {
  desk.eventsNow = true
  answered = false
  poll = pollWithoutEvents(desk, { everyMs: 1000, ask, answered: () => answered })
  vi.advanceTimersByTime(2000)
  expect(ask).toHaveBeenCalledTimes(2)
  answered = true
  vi.advanceTimersByTime(2000)
  expect(ask).toHaveBeenCalledTimes(2)
})

it('runs no timer while events come and all is answered; looks again after another request', () => {
  desk.eventsNow = true
  poll = pollWithoutEvents(desk, { everyMs: 1000, ask, answered: () => answered })
  vi.advanceTimersByTime(1000)
  expect(vi.getTimerCount()).toBe(0)
  poll.look()
  answered = false
  vi.advanceTimersByTime(1000)
  expect(ask).toHaveBeenCalledOnce()
  answered = true
  vi.advanceTimersByTime(1000)
  expect([ask.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0])
})

it('asks nothing in a page that nobody sees', () => {
  const seen = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
  poll = pollWithoutEvents(desk, { everyMs: 1000, ask, answered: () => answered })
  vi.advanceTimersByTime(3000)
  expect(ask).not.toHaveBeenCalled()
  seen.mockReturnValue('visible')
  document.dispatchEvent(new Event('visibilitychange'))
  expect(ask).toHaveBeenCalledOnce()
  vi.advanceTimersByTime(1000)
  expect(ask).toHaveBeenCalledTimes(2)
})
