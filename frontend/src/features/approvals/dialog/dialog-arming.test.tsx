import { act, fireEvent, screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { DeskError } from '../../../desk/desk-error'
import type { FakeDesk } from '../../../desk/fake-desk'
import type { FileLook } from '../../../desk/types'
import { button, eachDialog, inert, press, tick, type DialogHost } from '../../../test/approval-host'
import { sampleCall, sampleKind } from '../../../test/samples'
import { armingMs, reportAgainMs } from '../answer/arming'
import { lookAgainMs } from '../answer/use-look'

let desk: FakeDesk
let host: DialogHost

const said = () =>
  screen
    .getAllByRole('status')
    .map((region) => region.textContent)
    .join('|')
const file = (version: string): FileLook => ({
  path: 'a',
  resolved: '/a',
  state: 'new',
  code: '',
  reason: '',
  version,
  size: 0,
  added: 0,
  removed: 0,
  lines: [],
  more: 0,
})

eachDialog((now, its) => {
  host = now
  desk = its
})

describe('Approve', () => {
  it.each(['low', 'medium', 'high'] as const)('is inert until a call of %s risk was in view for long enough, and tells', async (risk) => {
    desk.put(sampleCall({ risk, rev: 4 }))
    const dialog = await host.open()
    expect(desk.attention.at(-1)).toEqual({ callId: 'call-1', rev: 4 })
    expect(dialog.querySelector('[data-risk]:is(span)')?.getAttribute('data-risk')).toBe(risk)
    expect(said()).toContain('Approve becomes ready in a moment.')
    await tick(armingMs[risk] - 50)
    expect(inert('Approve')).toBe(true)
    await press('Approve')
    fireEvent.keyDown(dialog, { key: 'Enter', ctrlKey: true })
    expect(desk.answers).toEqual([])
    await tick(60)
    expect(inert('Approve')).toBe(false)
    expect(said()).toContain('Approve is ready.')
    await press('Approve')
    expect(desk.answers).toHaveLength(1)
  })

  it('waits for the desk to hear of it, and says why', async () => {
    desk.failures.set('attend', new DeskError({ code: 'unreachable', message: '' }))
    desk.put(sampleCall())
    const dialog = await host.open()
    await tick(5000)
    expect(inert('Approve')).toBe(true)
    await press('Approve')
    expect(desk.answers).toEqual([])
    expect(within(dialog).getByText(/^The desk has not heard yet that you see this\./, { selector: 'p' })).toBeTruthy()
    desk.failures.clear()
    await tick(reportAgainMs + armingMs.medium + 10)
    expect(inert('Approve')).toBe(false)
  })

  it('starts over after blur', async () => {
    desk.put(sampleCall())
    await host.open()
    await tick(armingMs.medium)
    expect(inert('Approve')).toBe(false)
    fireEvent.blur(window)
    await tick(armingMs.medium)
    expect(inert('Approve')).toBe(true)
    fireEvent.focus(window)
    await tick(armingMs.medium - 50)
    expect(inert('Approve')).toBe(true)
    await tick(60)
    expect(inert('Approve')).toBe(false)
    expect(desk.attention).toEqual([{ callId: 'call-1', rev: 1 }, null, { callId: 'call-1', rev: 1 }])
    fireEvent.blur(window)
    await press('Decline') // needs nothing
    expect(desk.answers.map(({ answer }) => answer.approved)).toEqual([false])
  })

  it('starts over when the call changes', async () => {
    desk.put(sampleCall())
    await host.open()
    await tick(armingMs.medium)
    act(() => {
      desk.put(sampleCall({ rev: 2, callerGone: true }))
    })
    await tick(armingMs.medium - 50)
    expect(inert('Approve')).toBe(true)
    expect(desk.attention).toEqual([{ callId: 'call-1', rev: 1 }, null, { callId: 'call-1', rev: 2 }])
    await tick(60)
    expect(inert('Approve')).toBe(false)
  })

  it('goes on when a caller left, or time was added: what is shown is the same', async () => {
    desk.put(sampleCall())
    await host.open()
    await tick(armingMs.medium)
    act(() => {
      desk.put(sampleCall({ rev: 3, shownRev: 1, callerGone: true }))
    })
    await tick(10)
    expect(inert('Approve')).toBe(false)
    expect(desk.attention).toEqual([{ callId: 'call-1', rev: 1 }])
  })

  it('starts over when the session changes that a wider answer would be for', async () => {
    desk.put(sampleCall({ ...sampleKind() }))
    await host.open()
    await tick(armingMs.medium)
    fireEvent.click(screen.getByRole('radio', { name: 'write_file' }))
    await tick(armingMs.medium)
    expect(inert('Approve')).toBe(false)
    act(() => {
      desk.put(
        sampleCall({
          ...sampleKind(),
          rev: 2,
          shownRev: 1,
          sessionId: 'session-2',
        }),
      )
    })
    await tick(10)
    expect(inert('Approve')).toBe(true)
  })

  it('starts over when the file on the disk changes', async () => {
    desk.looks.set('call-1', { summary: null, file: file('v1'), command: null, last: null, flags: [] })
    desk.put(sampleCall())
    await host.open()
    await tick(armingMs.medium)
    expect(inert('Approve')).toBe(false)
    desk.looks.set('call-1', { summary: null, file: file('v2'), command: null, last: null, flags: [] })
    await tick(lookAgainMs - armingMs.medium + 20)
    expect(inert('Approve')).toBe(true)
    await tick(armingMs.medium)
    expect(inert('Approve')).toBe(false)
  })

  it('starts over when the answer would reach further', async () => {
    desk.put(sampleCall({ ...sampleKind() }))
    await host.open()
    await tick(armingMs.medium)
    fireEvent.click(screen.getByRole('radio', { name: 'write_file' }))
    expect(inert('Approve')).toBe(true)
    await tick(armingMs.medium + 10)
    expect(inert('Approve')).toBe(false)
  })

  it('starts over when the desk has not seen it for long enough, and says so', async () => {
    desk.put(sampleCall())
    await host.open()
    await tick(armingMs.medium)
    desk.failures.set('decide', new DeskError({ code: 'not_armed', message: '' }))
    await press('Approve')
    expect(screen.getByRole('alert').textContent).toBe('Look at it a moment longer, then answer.')
    expect(inert('Approve')).toBe(true)
    desk.failures.clear()
    await tick(armingMs.medium + 10)
    await press('Approve')
    expect(desk.answers).toHaveLength(2)
    expect(desk.attention).toEqual([{ callId: 'call-1', rev: 1 }, null, { callId: 'call-1', rev: 1 }, null])
  })

  it('does not take a press that began while it was inert', async () => {
    desk.put(sampleCall())
    await host.open()
    await tick(armingMs.medium - 100)
    fireEvent.pointerDown(button('Approve'))
    await tick(200)
    fireEvent.pointerUp(button('Approve'))
    fireEvent.click(button('Approve'), { detail: 1 })
    await tick(0)
    expect(desk.answers).toEqual([])
    await press('Approve')
    expect(desk.answers).toHaveLength(1)
  })

  it('is no longer reported as in view when the dialog is gone', async () => {
    desk.put(sampleCall())
    await host.open()
    act(() => {
      desk.settle('call-1', 'cancelled')
    })
    await tick(0)
    expect(screen.queryByRole('alertdialog')).toBeNull()
    expect(desk.attention.at(-1)).toBeNull()
  })
})
