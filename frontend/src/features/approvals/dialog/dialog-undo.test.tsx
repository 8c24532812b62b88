import { act, fireEvent, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { DeskError } from '../../../desk/desk-error'
import type { FakeDesk } from '../../../desk/fake-desk'
import type { Risk } from '../../../desk/types'
import { button, eachDialog, inert, press, tick, type DialogHost } from '../../../test/approval-host'
import { sampleCall } from '../../../test/samples'
import { armingMs } from '../answer/arming'

let desk: FakeDesk
let host: DialogHost

const armed = () => tick(armingMs.high + 10)
const approved = () => desk.answers.filter(({ answer }) => answer.approved).length

async function openFor(risk: Risk, undoSeconds = 3) {
  desk.settingsNow = { ...desk.settingsNow, undoSeconds }
  desk.put(sampleCall({ risk }))
  const dialog = await host.open()
  await armed()
  await press('Approve')
  return dialog
}

eachDialog((now, its) => {
  host = now
  desk = its
})

describe('a yes that can be undone', () => {
  it.each(['medium', 'high'] as const)('is sent after the time, at %s risk', async (risk) => {
    const dialog = await openFor(risk)
    expect(dialog.textContent).toContain('Approving in 3 s')
    expect(document.activeElement).toBe(button(/^Undo/))
    await tick(2000)
    expect(dialog.textContent).toContain('Approving in 1 s')
    expect(approved()).toBe(0)
    await tick(1000)
    expect(approved()).toBe(1)
  })

  it('goes at once at low risk, and where the settings say so', async () => {
    await openFor('low')
    expect(approved()).toBe(1)
  })

  it('goes at once where undoing is off', async () => {
    await openFor('high', 0)
    expect(approved()).toBe(1)
  })

  it('can be undone as well where the settings are not known', async () => {
    desk.failures.set('settings', new DeskError({ code: 'unreachable', message: '' }))
    await openFor('medium', 0)
    expect(approved()).toBe(0)
    await tick(3000)
    expect(approved()).toBe(1)
  })

  it('is undone by its button: nothing is sent, and Approve arms anew', async () => {
    await openFor('medium')
    await press(/^Undo/)
    await tick(10)
    expect(inert('Approve')).toBe(true)
    expect(document.activeElement?.tagName).toBe('H2')
    await tick(10_000)
    expect(approved()).toBe(0)
    expect(inert('Approve')).toBe(false)
  })

  it('is undone by Escape, which is not Later then', async () => {
    const dialog = await openFor('medium')
    fireEvent(dialog, new Event('cancel', { cancelable: true }))
    await tick(10_000)
    expect(approved()).toBe(0)
    expect(host.later).toBe(0)
    fireEvent(dialog, new Event('cancel', { cancelable: true }))
    expect(host.later).toBe(1)
  })

  it('is not undone by the second click of a double click, nor by a held key', async () => {
    await openFor('medium')
    fireEvent.click(button(/^Undo/), { detail: 2 })
    expect(fireEvent.keyDown(button(/^Undo/), { key: 'Enter', repeat: true })).toBe(false)
    await tick(3000)
    expect(approved()).toBe(1)
  })

  it('is not stopped by blur, and not reported anew by focus, which would begin the desk’s time anew', async () => {
    await openFor('medium')
    const reports = desk.attention.length
    fireEvent.blur(window)
    fireEvent.focus(window)
    await tick(3000)
    expect(approved()).toBe(1)
    expect(desk.attention.slice(reports)).toEqual([])
    expect(desk.attention.at(-1)).toBeNull()
  })

  it('is not sent when the call changed meanwhile, and says so', async () => {
    await openFor('medium')
    act(() => {
      desk.put(sampleCall({ rev: 2, callerGone: true }))
    })
    await tick(10)
    expect(screen.getByRole('alert').textContent).toBe('The call changed while you answered. Look again.')
    await tick(10_000)
    expect(desk.answers).toEqual([])
    expect(inert('Approve')).toBe(false)
  })

  it('is not sent when the call was settled meanwhile', async () => {
    await openFor('medium')
    act(() => {
      desk.settle('call-1', 'declined')
    })
    await tick(10_000)
    expect(desk.answers).toEqual([])
  })

  it('is not sent when the time of the call is up', async () => {
    desk.settingsNow = { ...desk.settingsNow, undoSeconds: 3 }
    desk.put(sampleCall({ expiresAt: new Date(Date.now() + 3500).toISOString() }))
    const dialog = await host.open()
    await tick(armingMs.medium + 10)
    await press('Approve')
    await tick(5000)
    expect(desk.answers).toEqual([])
    expect(dialog.textContent).toContain('Time is up. Nothing ran.')
  })

  it('reaches as far as it was given: what goes with it is not to be changed meanwhile', async () => {
    desk.settingsNow = { ...desk.settingsNow, undoSeconds: 3 }
    desk.put(sampleCall())
    await host.open({ identical: ['b'] })
    const alike = screen.getByRole('checkbox', { name: /1 other waiting call/ })
    expect(alike).toHaveProperty('disabled', false)
    await armed()
    await press('Approve')
    expect(alike).toHaveProperty('disabled', true)
    await press(/^Undo/)
    expect(alike).toHaveProperty('disabled', false)
  })

  it('cannot be given twice, nor turned into a no', async () => {
    const dialog = await openFor('medium')
    fireEvent.keyDown(dialog, { key: 'Enter', ctrlKey: true })
    expect(screen.queryByRole('button', { name: 'Decline' })).toBeNull()
    await tick(3000)
    expect(desk.answers).toHaveLength(1)
  })
})
