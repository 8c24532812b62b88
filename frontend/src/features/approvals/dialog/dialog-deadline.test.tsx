import { act, fireEvent, screen } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { DeskError } from '../../../desk/desk-error'
import type { FakeDesk } from '../../../desk/fake-desk'
import { button, eachDialog, inert, press, tick, type DialogHost } from '../../../test/approval-host'
import { sampleCall } from '../../../test/samples'
import { armingMs } from '../answer/arming'
import { markOf } from './time-warning'

let desk: FakeDesk
let host: DialogHost

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
const warned = () =>
  screen
    .getAllByRole('status')
    .map((region) => region.textContent)
    .filter((text) => text.includes('left to answer') || text.includes('Time is up'))

eachDialog((now, its) => {
  host = now
  desk = its
})

describe('the deadline', () => {
  it('counts down by the desk’s clock', async () => {
    desk.put(sampleCall({ expiresAt: inSeconds(272) }))
    const dialog = await host.open({ clockOffset: 60_000 })
    expect(dialog.textContent).toContain('Expires in 3:32 and nothing runs')
    await tick(1000)
    expect(dialog.textContent).toContain('Expires in 3:31 and nothing runs')
  })

  it('goes with the caller’s own patience, while that lasts', async () => {
    desk.put(sampleCall({ expiresAt: inSeconds(272), patienceUntil: inSeconds(2) }))
    const dialog = await host.open()
    expect(dialog.textContent).toContain('The agent gives up in 0:02')
    await tick(2000)
    expect(dialog.textContent).not.toContain('The agent gives up')
  })

  it('says no patience of a caller that has gone', async () => {
    desk.put(sampleCall({ expiresAt: inSeconds(272), patienceUntil: inSeconds(60), callerGone: true }))
    const dialog = await host.open()
    expect(dialog.textContent).toContain('Expires in')
    expect(dialog.textContent).not.toContain('The agent gives up')
  })

  it('is announced once at 60, 30 and 10 seconds, and at the end', async () => {
    desk.put(sampleCall({ expiresAt: inSeconds(63) }))
    await host.open()
    const heard: string[] = []
    for (let i = 0; i < 70; i++) {
      const now = warned().join()
      if (now !== heard.at(-1)) heard.push(now)
      await act(() => vi.advanceTimersByTimeAsync(1000))
    }
    expect(heard).toEqual([
      '',
      '60 seconds left to answer',
      '30 seconds left to answer',
      '10 seconds left to answer',
      'Time is up. Nothing ran.',
    ])
  })

  it('is announced as what is left, when the dialog comes late', async () => {
    desk.put(sampleCall({ expiresAt: inSeconds(45) }))
    await host.open()
    expect(warned()).toEqual(['45 seconds left to answer'])
  })

  it.each([
    [null, null],
    [61, null],
    [60, 60],
    [31, 60],
    [30, 30],
    [10, 10],
    [1, 10],
    [0, null],
  ])('of %s seconds has the mark %s', (left, mark) => {
    expect(markOf(left)).toBe(mark)
  })

  it('is five minutes later by one click', async () => {
    desk.put(sampleCall({ expiresAt: inSeconds(60) }))
    const dialog = await host.open()
    const extend = vi.spyOn(desk, 'extend')
    fireEvent.click(button('5 more minutes'))
    fireEvent.click(button('5 more minutes'))
    await tick(0)
    expect(extend.mock.calls).toEqual([['call-1', 300]])
    expect(dialog.textContent).toContain('Expires in 6:00')
    expect(desk.answers).toEqual([])
  })

  it('says when it could not be moved', async () => {
    desk.put(sampleCall({ expiresAt: inSeconds(60) }))
    desk.failures.set('extend', new DeskError({ code: 'expired', message: '' }))
    await host.open()
    fireEvent.click(button('5 more minutes'))
    await tick(0)
    expect(screen.getByRole('alert').textContent).toContain('Too late')
  })

  it('passed means that nothing can be answered', async () => {
    desk.put(sampleCall({ expiresAt: inSeconds(2) }))
    const dialog = await host.open()
    await tick(armingMs.medium + 10)
    expect(inert('Approve')).toBe(false)
    await tick(2000)
    expect(dialog.textContent).toContain('Time is up. Nothing ran.')
    expect(screen.queryByRole('button', { name: '5 more minutes' })).toBeNull()
    await press('Approve')
    await press('Decline')
    fireEvent.keyDown(dialog, { key: 'Enter', ctrlKey: true })
    await tick(0)
    expect(desk.answers).toEqual([])
    expect([inert('Approve'), inert('Decline')]).toEqual([true, true])
  })

  it('may not be there at all', async () => {
    desk.put(sampleCall({ expiresAt: null }))
    const dialog = await host.open()
    expect(dialog.textContent).toContain('Waits without limit')
    expect(screen.queryByRole('button', { name: '5 more minutes' })).toBeNull()
  })
})
