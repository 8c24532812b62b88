import { act, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FakeDesk } from '../desk/fake-desk'
import { FakeTransport } from '../desk/fake-transport'
import { Entrance } from '../desk/open-desk'
import { sampleCall, sampleDecision } from '../test/samples'
import { App } from './app'
import { screens } from './screens'

let desk: FakeDesk

beforeEach(() => {
  vi.useFakeTimers()
  desk = new FakeDesk()
  desk.eventsNow = true
  desk.agentList = [{ id: 'a', name: 'claude', createdAt: '2026-01-01T00:00:00.000Z', stoppedUntil: null, role: null, userId: '' }]
  desk.serverList = [{ id: 'fs', transport: 'stdio', command: 'x', args: [], env: {}, cwd: '', url: '', headers: {}, enabled: true, state: 'running', tools: ['read'] }]
  desk.kept = [sampleCall({ id: 'done', status: 'completed', decision: sampleDecision({ by: 'person' }), createdAt: '2026-01-01T00:00:00.000Z' })]
})

afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

describe.each(screens)('the screen $name at rest', ({ name }) => {
  it('asks nothing while events come, and no timer wakes it but the one that looks at the day', async () => {
    window.history.replaceState(null, '', `#/${name}`)
    render(<App entrance={new Entrance({ desk })} />)
    for (let n = 0; n < 5; n++) {
      await pass(100)
      await vi.dynamicImportSettled()
    }
    expect(screen.getByRole('heading', { level: 1 })).toBeTruthy()
    await pass(60_000)
    const asked = vi.spyOn(FakeTransport.prototype, 'ask')
    const woken = vi.getTimerCount()
    expect(woken).toBeLessThanOrEqual(1)
    await pass(1_200_000)
    expect(asked.mock.calls).toEqual([])
    act(() => {
      desk.hint('settings.changed')
    })
    await pass(200)
    expect(asked).toHaveBeenCalled() // what would be counted is counted
  })
})
