import { act, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { FakeDesk } from '../desk/fake-desk'
import { FakeTransport } from '../desk/fake-transport'
import { Entrance } from '../desk/open-desk'
import { part as found } from '../features/agents/found-part'
import { hasLeft, keepLeft } from '../features/welcome/left'
import { firstRule, part as welcome } from '../features/welcome/part'
import { sampleCall, sampleDecision, sampleRule } from '../test/samples'
import { App } from './app'
import { loadAhead } from './load-ahead'
import { forgetPart } from './open-part'

let desk: FakeDesk

beforeEach(() => {
  vi.useFakeTimers()
  window.history.replaceState(null, '', '#/waiting')
  desk = new FakeDesk()
  desk.eventsNow = true
})

afterEach(() => {
  localStorage.clear()
  vi.useRealTimers()
  forgetPart(welcome)
  forgetPart(found)
  forgetPart(firstRule)
})

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

function old(): void {
  desk.ruleList = [sampleRule()]
  desk.kept = [sampleCall({ id: 'done', status: 'completed', decision: sampleDecision({ by: 'person' }) })]
}

it('asks for what the first screen shows, so that the page is drawn with it and asks for nothing again', async () => {
  old()
  void loadAhead(desk, 'en')
  await pass(100)
  const asked = vi.spyOn(FakeTransport.prototype, 'ask')
  render(<App entrance={new Entrance({ desk })} />)
  expect(screen.getByText('Nothing is waiting')).toBeTruthy() // no answer was waited for
  expect(screen.getByRole('checkbox', { name: /Hold everything/ })).toBeTruthy()
  await pass(100)
  expect(asked.mock.calls.map(([{ path }]) => path)).not.toEqual(expect.arrayContaining([expect.stringMatching(/settings|healthz|rules|pending|agents$/)]))
})

it('shows a call that came before the page was drawn, once the settings say that it may disturb', async () => {
  old()
  desk.put(sampleCall())
  void loadAhead(desk, 'en')
  await pass(100)
  render(<App entrance={new Entrance({ desk })} />)
  await pass(2_000)
  await vi.dynamicImportSettled()
  await pass(2_000)
  expect(screen.getByRole('alertdialog')).toBeTruthy()
})

it('shows what comes after the page was left alone with what was loaded', async () => {
  old()
  void loadAhead(desk, 'en')
  await pass(100)
  render(<App entrance={new Entrance({ desk })} />)
  await pass(60_000)
  act(() => {
    desk.put(sampleCall())
  })
  await pass(2_000)
  await vi.dynamicImportSettled()
  await pass(2_000)
  expect(screen.getByRole('alertdialog')).toBeTruthy()
})

it('follows nothing of what no page shows', async () => {
  void loadAhead(desk, 'en')
  await pass(60_000)
  const asked = vi.spyOn(FakeTransport.prototype, 'ask')
  desk.put(sampleCall())
  desk.hint('settings.changed')
  await pass(60_000)
  expect(asked).not.toHaveBeenCalled()
})

it('loads the welcome beside what says that it is needed, until a desk needed none', async () => {
  const loads = [vi.spyOn(welcome, 'load'), vi.spyOn(found, 'load')]
  const again = (next: FakeDesk) => {
    vi.clearAllMocks()
    forgetPart(welcome)
    forgetPart(found)
    void loadAhead(next, 'en')
  }
  again(new FakeDesk())
  for (const load of loads) expect(load).toHaveBeenCalledOnce()
  old()
  again(desk)
  await pass(100)
  again(desk)
  await pass(100)
  for (const load of loads) expect(load).not.toHaveBeenCalled()
  again(new FakeDesk())
  for (const load of loads) expect(load).not.toHaveBeenCalled()
  await pass(100)
  for (const load of loads) expect(load).toHaveBeenCalledOnce()
})

it('loads what follows the first call with the page where one was answered', async () => {
  const load = vi.spyOn(firstRule, 'load')
  void loadAhead(desk, 'en')
  await pass(100)
  expect(load).not.toHaveBeenCalled()
  desk = new FakeDesk()
  desk.kept = [sampleCall({ status: 'completed', decision: sampleDecision({ by: 'person' }) })]
  void loadAhead(desk, 'en')
  await pass(100)
  expect(load).toHaveBeenCalledOnce()
})

it('asks first for what says whether a welcome is needed, of all that is shown', async () => {
  const asked = vi.spyOn(FakeTransport.prototype, 'ask')
  void loadAhead(desk, 'en')
  await pass(100)
  const paths = asked.mock.calls.map(([{ path }]) => path)
  expect(paths.indexOf('/v1/rules')).toBeLessThan(paths.indexOf('/v1/settings'))
})

it('remembers that the person left the welcome, also when a desk needed none after that', async () => {
  keepLeft()
  old()
  void loadAhead(desk, 'en')
  await pass(100)
  expect(hasLeft()).toBe(true)
})

it('asks for the apps of a new desk alone', async () => {
  const asked = vi.spyOn(FakeTransport.prototype, 'ask')
  const paths = () => asked.mock.calls.map(([{ path }]) => path.split('?')[0])
  void loadAhead(desk, 'en')
  await pass(100)
  expect(paths()).toContain('/v1/connections')
  asked.mockClear()
  desk = new FakeDesk()
  old()
  void loadAhead(desk, 'en')
  await pass(100)
  expect(paths()).not.toContain('/v1/connections')
})

it('ends when all that a new desk shows at first is there, or when that takes long', async () => {
  await Promise.all([welcome.load(), found.load()])
  for (const answers of [true, false]) {
    desk = new FakeDesk()
    let answer: (value: never) => void = () => undefined
    vi.spyOn(desk, 'clients').mockReturnValueOnce(new Promise((resolve) => (answer = resolve)))
    const over = vi.fn()
    void loadAhead(desk, 'en').then(over)
    await pass(140)
    expect(over).not.toHaveBeenCalled()
    if (answers) answer({} as never)
    await pass(answers ? 1 : 20)
    expect(over).toHaveBeenCalledOnce()
  }
})

it('ends when a call waits', async () => {
  desk.put(sampleCall())
  vi.spyOn(desk, 'settings').mockReturnValueOnce(new Promise(() => undefined))
  const over = vi.fn()
  void loadAhead(desk, 'en').then(over)
  await pass(140)
  expect(over).toHaveBeenCalledOnce()
})

it('takes no rules for a screen that does not welcome', async () => {
  window.history.replaceState(null, '', '#/activity?agent=a')
  const asked = vi.spyOn(FakeTransport.prototype, 'ask')
  void loadAhead(desk, 'en')
  await pass(100)
  const paths = asked.mock.calls.map(([{ path }]) => path)
  expect(paths).toContain('/v1/settings')
  expect(paths).not.toContain('/v1/rules')
})
