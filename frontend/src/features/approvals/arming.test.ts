import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ArmingClock, armingMs, isAnswer, isArmed } from './arming'

describe('isArmed', () => {
  it('needs uninterrupted attention for the whole time', () => {
    expect(isArmed(null, 1e9)).toBe(false)
    expect(isArmed(1000, 1000)).toBe(false)
    expect(isArmed(1000, 1000 + armingMs - 1)).toBe(false)
    expect(isArmed(1000, 1000 + armingMs)).toBe(true)
  })
})

describe('isAnswer', () => {
  it.each([
    ['a click', { isTrusted: true, detail: 1 }, true],
    ['a press by keyboard', { isTrusted: true, detail: 0 }, true],
    ['a key', { isTrusted: true, repeat: false, isComposing: false }, true],
    ['a made-up event', { isTrusted: false, detail: 1 }, false],
    ['a key held down', { isTrusted: true, repeat: true }, false],
    ['Enter that ends a word of an input method', { isTrusted: true, isComposing: true }, false],
    ['the second click of a double click', { isTrusted: true, detail: 2 }, false],
  ])('%s: %o', (_, event, answer) => {
    expect(isAnswer(event)).toBe(answer)
  })
})

describe('ArmingClock', () => {
  let focused = true
  beforeEach(() => {
    vi.useFakeTimers()
    focused = true
    vi.spyOn(document, 'hasFocus').mockImplementation(() => focused)
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const clockAtWork = () => {
    const clock = new ArmingClock()
    const phases: string[] = []
    clock.subscribe(() => phases.push(clock.phase()))
    return { clock, phases, stop: clock.watch() }
  }

  it('ripens, and tells so', () => {
    const { clock, phases, stop } = clockAtWork()
    vi.advanceTimersByTime(armingMs - 1)
    expect(clock.phase()).toBe('filling')
    vi.advanceTimersByTime(2)
    expect(clock.phase()).toBe('armed')
    expect(phases).toEqual(['filling', 'armed'])
    stop()
    expect(clock.phase()).toBe('idle')
  })

  it.each(['focus', 'blur'])('starts over at the window’s %s', (event) => {
    const { clock } = clockAtWork()
    vi.advanceTimersByTime(armingMs + 1)
    const cycle = clock.cycle()
    window.dispatchEvent(new Event(event))
    expect(clock.phase()).not.toBe('armed')
    expect(clock.cycle()).toBeGreaterThan(cycle)
    vi.advanceTimersByTime(armingMs * 3)
    expect(clock.phase()).toBe(event === 'focus' ? 'armed' : 'idle')
  })

  it('does not count while the window has no focus', () => {
    focused = false
    const { clock } = clockAtWork()
    vi.advanceTimersByTime(armingMs * 5)
    expect(clock.phase()).toBe('idle')
    window.dispatchEvent(new Event('focus'))
    vi.advanceTimersByTime(armingMs - 1)
    expect(clock.phase()).toBe('filling')
  })

  it('begins to count at input, where the browser reports no focus', () => {
    focused = false
    const { clock } = clockAtWork()
    document.dispatchEvent(new Event('pointerdown'))
    expect(clock.phase()).toBe('filling')
    vi.advanceTimersByTime(armingMs - 100)
    document.dispatchEvent(new Event('keydown')) // does not start it over
    vi.advanceTimersByTime(101)
    expect(clock.phase()).toBe('armed')
  })

  it('stops listening when it is no longer watched', () => {
    const { clock, stop } = clockAtWork()
    stop()
    window.dispatchEvent(new Event('focus'))
    vi.advanceTimersByTime(armingMs * 2)
    expect(clock.phase()).toBe('idle')
  })
})
