import { fireEvent, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { DeskError } from '../../../desk/desk-error'
import type { FakeDesk } from '../../../desk/fake-desk'
import { button, eachDialog, inert, press, tick, type DialogHost } from '../../../test/approval-host'
import { sampleCall } from '../../../test/samples'
import { armingMs } from '../answer/arming'

let desk: FakeDesk
let host: DialogHost

eachDialog((now, its) => {
  host = now
  desk = its
})

async function open() {
  desk.agentList = [{ id: 'a', name: 'claude', createdAt: '2026-01-01T00:00:00.000Z', stoppedUntil: null, role: null, userId: '' }]
  desk.put(sampleCall({ risk: 'high', agentId: 'a', agentName: 'claude' }))
  await host.open()
}

const until = () => desk.agentList[0]?.stoppedUntil ?? null

describe('the button that stops the agent', () => {
  it('takes nothing before the call was in view for long enough', async () => {
    await open()
    expect(inert('Stop the agent')).toBe(true)
    await press('Stop the agent')
    expect(until()).toBeNull()
    await tick(armingMs.high + 10)
    expect(inert('Stop the agent')).toBe(false)
    await press('Stop the agent')
    expect(until()).not.toBeNull()
    expect(desk.answers).toEqual([])
  })

  it('takes no click that is the second of a double click', async () => {
    await open()
    await tick(armingMs.high + 10)
    fireEvent.click(button('Stop the agent'), { detail: 2 })
    await tick(10)
    expect(until()).toBeNull()
  })

  it('says why the desk refuses it', async () => {
    await open()
    desk.failures.set('stopAgent', new DeskError({ code: 'not_found', message: 'no such agent' }))
    await tick(armingMs.high + 10)
    await press('Stop the agent')
    expect(screen.getByRole('alert').textContent).not.toBe('')
    expect(until()).toBeNull()
  })
})
