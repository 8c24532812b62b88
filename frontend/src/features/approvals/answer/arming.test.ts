import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DeskError } from '../../../desk/desk-error'
import { FakeDesk } from '../../../desk/fake-desk'
import { ArmingClock, armingMs, isAnswer, reportAgainMs } from './arming'
import { AttentionLine } from './attention-line'

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

describe('the times', () => {
  it('are those that the desk counts', () => {
    expect(armingMs).toEqual({ low: 700, medium: 700, high: 1500 })
  })
})

describe('ArmingClock', () => {
  const need = armingMs.medium
  const shown = { callId: 'call-1', rev: 3, needMs: need }
  const report = { callId: 'call-1', rev: 3 }
  let desk: FakeDesk
  let focused = true
  let visible: DocumentVisibilityState = 'visible'
  let stopWatching: () => void = () => undefined

  beforeEach(() => {
    vi.useFakeTimers()
    desk = new FakeDesk()
    focused = true
    visible = 'visible'
    vi.spyOn(document, 'hasFocus').mockImplementation(() => focused)
    vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => visible)
  })
  afterEach(() => {
    stopWatching()
    vi.useRealTimers()
  })

  /** A clock at work, and what it went through. */
  const atWork = async () => {
    const clock = new ArmingClock(new AttentionLine((attention) => desk.attend(attention)))
    const phases: string[] = []
    clock.subscribe(() => phases.push(clock.phase()))
    const stop = (stopWatching = clock.watch(shown))
    await pass(0)
    return { clock, phases, stop }
  }
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

  it('tells the desk, ripens when that was taken, and takes it back at the end', async () => {
    const { clock, phases, stop } = await atWork()
    expect(desk.attention).toEqual([report])
    await pass(need - 1)
    expect(clock.phase()).toBe('filling')
    expect(clock.takes()).toBe(false)
    await pass(2)
    expect(clock.takes()).toBe(true)
    expect(phases).toEqual(['reporting', 'filling', 'armed'])
    stop()
    expect(clock.phase()).toBe('idle')
    await pass(0)
    expect(desk.attention).toEqual([report, null])
  })

  it('does not count before the desk has taken the report', async () => {
    let take: () => void = () => undefined
    vi.spyOn(desk, 'attend').mockImplementation(() => new Promise((done) => (take = done)))
    const { clock } = await atWork()
    await pass(need * 5)
    expect(clock.phase()).toBe('reporting')
    take()
    await pass(need - 1)
    expect(clock.phase()).toBe('filling')
    await pass(2)
    expect(clock.phase()).toBe('armed')
  })

  it('tells it again, quietly, when the desk did not take it', async () => {
    desk.failures.set('attend', new DeskError({ code: 'unreachable', message: '' }))
    const { clock } = await atWork()
    await pass(need * 2)
    expect(clock.phase()).toBe('unheard')
    desk.failures.clear()
    await pass(reportAgainMs)
    expect(clock.phase()).toBe('filling')
    await pass(need)
    expect(clock.phase()).toBe('armed')
  })

  it('starts over at the window’s blur and focus, and tells both', async () => {
    const { clock } = await atWork()
    await pass(need)
    const cycle = clock.cycle()
    window.dispatchEvent(new Event('blur'))
    expect(clock.phase()).toBe('idle')
    await pass(need * 3)
    expect(clock.phase()).toBe('idle')
    window.dispatchEvent(new Event('focus'))
    await pass(need - 1)
    expect(clock.phase()).toBe('filling')
    expect(clock.cycle()).toBeGreaterThan(cycle)
    expect(desk.attention).toEqual([report, null, report])
  })

  it('is left alone by the focus that moves inside of the page', async () => {
    const field = document.body.appendChild(document.createElement('input'))
    const { clock } = await atWork()
    await pass(need)
    field.focus()
    field.blur()
    expect(clock.phase()).toBe('armed')
    field.remove()
  })

  it('is interrupted while the page is hidden', async () => {
    const { clock } = await atWork()
    visible = 'hidden'
    document.dispatchEvent(new Event('visibilitychange'))
    await pass(need)
    expect(clock.phase()).toBe('idle')
    visible = 'visible'
    document.dispatchEvent(new Event('visibilitychange'))
    await pass(need)
    expect(clock.phase()).toBe('armed')
  })

  it('does not count in a window without focus, nor when it is only uncovered', async () => {
    focused = false
    const { clock } = await atWork()
    document.dispatchEvent(new Event('visibilitychange'))
    await pass(need * 5)
    expect(clock.phase()).toBe('idle')
    expect(desk.attention).toEqual([])
  })

  it('begins to count at input, where the browser reports no focus', async () => {
    focused = false
    const { clock } = await atWork()
    document.dispatchEvent(new Event('pointerdown'))
    document.dispatchEvent(new Event('pointerup'))
    await pass(need - 100)
    document.dispatchEvent(new Event('keydown')) // does not start it over
    document.dispatchEvent(new Event('keyup'))
    await pass(101)
    expect(clock.takes()).toBe(true)
  })

  it.each([
    ['pointerdown', 'pointerup'],
    ['keydown', 'keyup'],
  ])('does not take a press that began too early: %s', async (down, up) => {
    const { clock } = await atWork()
    await pass(need - 50)
    document.dispatchEvent(new Event(down))
    await pass(100)
    expect(clock.phase()).toBe('armed')
    document.dispatchEvent(new Event(up))
    expect(clock.takes()).toBe(false) // when the click comes
    await pass(1)
    expect(clock.takes()).toBe(true)
    document.dispatchEvent(new Event(down))
    expect(clock.takes()).toBe(true)
  })

  const made = (type: string, part: object) => Object.assign(new Event(type), part)

  it('does not take a press that began before the window had the focus', async () => {
    focused = false
    const { clock } = await atWork()
    document.dispatchEvent(made('pointerdown', { pointerId: 1 }))
    window.dispatchEvent(new Event('focus')) // the press brought it
    await pass(need)
    expect(clock.phase()).toBe('armed')
    document.dispatchEvent(made('pointerup', { pointerId: 1 }))
    expect(clock.takes()).toBe(false)
  })

  it('does not take an early press because another one ends, nor because its key repeats', async () => {
    const { clock } = await atWork()
    document.dispatchEvent(made('keydown', { code: 'KeyA' }))
    document.dispatchEvent(made('keydown', { code: 'Space' }))
    document.dispatchEvent(made('keyup', { code: 'KeyA' }))
    await pass(need)
    document.dispatchEvent(made('keydown', { code: 'Space', repeat: true }))
    expect([clock.phase(), clock.takes()]).toEqual(['armed', false])
    document.dispatchEvent(made('keyup', { code: 'Space' }))
    expect(clock.takes()).toBe(false)
    await pass(1)
    expect(clock.takes()).toBe(true)
  })

  it('does not take a second early press because the first one ends only now', async () => {
    const { clock } = await atWork()
    document.dispatchEvent(made('pointerdown', { pointerId: 1 }))
    document.dispatchEvent(made('pointerup', { pointerId: 1 }))
    document.dispatchEvent(made('pointerdown', { pointerId: 1 }))
    await pass(need)
    expect([clock.phase(), clock.takes()]).toEqual(['armed', false])
    document.dispatchEvent(made('pointerup', { pointerId: 1 }))
    await pass(1)
    expect(clock.takes()).toBe(true)
  })

  it('does not take a press that began before something else was shown', async () => {
    const { clock, stop } = await atWork()
    document.dispatchEvent(made('pointerdown', { pointerId: 1 }))
    stop()
    stopWatching = clock.watch({ ...shown, rev: 4 })
    await pass(need)
    expect([clock.phase(), clock.takes()]).toEqual(['armed', false])
  })

  it('takes a new press, be the end of an older one never told', async () => {
    const { clock } = await atWork()
    document.dispatchEvent(made('keydown', { code: 'KeyC' }))
    await pass(need)
    expect(clock.takes()).toBe(false)
    document.dispatchEvent(made('pointerdown', { pointerId: 1 }))
    expect(clock.takes()).toBe(true)
  })

  it('forgets an early press that ended outside of the window', async () => {
    const { clock } = await atWork()
    document.dispatchEvent(new Event('keydown'))
    window.dispatchEvent(new Event('blur'))
    window.dispatchEvent(new Event('focus'))
    await pass(need)
    expect(clock.takes()).toBe(true)
  })

  it('stops listening when it is no longer watched', async () => {
    const { clock, stop } = await atWork()
    stop()
    window.dispatchEvent(new Event('focus'))
    await pass(need * 2)
    expect(clock.phase()).toBe('idle')
  })
})
