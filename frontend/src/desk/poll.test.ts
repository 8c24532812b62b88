import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { FakeDesk } from './fake-desk'
import { pollWithoutEvents } from './poll'

const desk = new FakeDesk()
const ask = vi.fn()
let stop: () => void

beforeEach(() => {
  vi.useFakeTimers()
  desk.eventsNow = false
})

afterEach(() => {
  stop()
  ask.mockReset()
  vi.useRealTimers()
})

it('asks while no events come, and no more once they do', () => {
  stop = pollWithoutEvents(desk, 1000, ask)
  vi.advanceTimersByTime(3000)
  expect(ask).toHaveBeenCalledTimes(3)
  desk.eventsNow = true
  vi.advanceTimersByTime(3000)
  expect(ask).toHaveBeenCalledTimes(3)
  desk.eventsNow = false
  vi.advanceTimersByTime(1000)
  expect(ask).toHaveBeenCalledTimes(4)
})

it('asks for what no event tells of', () => {
  desk.eventsNow = true
  stop = pollWithoutEvents(desk, 1000, ask, false)
  vi.advanceTimersByTime(2000)
  expect(ask).toHaveBeenCalledTimes(2)
})

it('asks nothing in a page that nobody sees', () => {
  const seen = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
  stop = pollWithoutEvents(desk, 1000, ask, false)
  vi.advanceTimersByTime(3000)
  expect(ask).not.toHaveBeenCalled()
  seen.mockReturnValue('visible')
  vi.advanceTimersByTime(1000)
  expect(ask).toHaveBeenCalledOnce()
})
