import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { DeskError } from '../../../desk/desk-error'
import type { FakeDesk } from '../../../desk/fake-desk'
import { dialog, named, press, QueueHost, said } from '../../../test/queue-host'
import { sampleCall } from '../../../test/samples'

let desk: FakeDesk
let host: QueueHost

beforeEach(() => {
  host = new QueueHost()
  desk = host.desk
})

describe('the drawer', () => {
  const inDrawer = async (name = /runs? write_file/) => {
    host.open()
    await named(name)
    await userEvent.setup().click(screen.getByRole('button', { name: 'All' }))
    return within(within(dialog()).getByRole('region', { name: 'What waits' }))
  }

  it('is not there for one call alone', async () => {
    host.put(1, () => ({}))
    host.open()
    await named(/write_file/)
    expect(screen.queryByRole('button', { name: 'All' })).toBeNull()
  })

  it('lists what waits by agent and session, with risk, tool, server and the time left', async () => {
    const now = Date.now()
    desk.put(sampleCall({ id: 'a', expiresAt: new Date(now + 272_000).toISOString() }))
    desk.put(sampleCall({ id: 'b', sessionId: 'session-2', toolName: 'delete_file', risk: 'high' }))
    desk.put(sampleCall({ id: 'c', agentId: 'x', agentName: 'nightly', toolName: 'own', serverId: null }))
    const drawer = await inDrawer()
    const rows = drawer.getAllByRole('row').map((row) => row.textContent)
    expect(rows).toEqual([
      expect.stringMatching(/helper.*Session session-1 · 1 call/),
      expect.stringMatching(/write_file.*filesystem.*shown now.*Medium risk.*4:3\d/),
      expect.stringMatching(/helper.*Session session-2 · 1 call/),
      expect.stringMatching(/delete_file.*High risk.*no limit/),
      expect.stringMatching(/nightly.*Session session-1 · 1 call/),
      expect.stringMatching(/own.*a tool of its own/),
    ])
    expect(drawer.getAllByRole('row').map((row) => row.getAttribute('aria-current'))).toEqual([null, 'true', null, null, null, null])
  })

  it('shows the call that is chosen, and closes by Escape without putting anything off', async () => {
    host.put(3, (n) => ({ toolName: n === 2 ? 'delete_file' : 'write_file' }))
    await inDrawer()
    const user = userEvent.setup()
    await user.keyboard('{Escape}')
    expect(screen.queryByRole('region', { name: 'What waits' })).toBeNull()
    expect(document.activeElement).toBe(within(dialog()).getByRole('button', { name: 'All' }))
    press('All')
    const drawer = within(screen.getByRole('region', { name: 'What waits' }))
    fireEvent.click(drawer.getByRole('button', { name: /delete_file/ }))
    await named(/delete_file/)
    expect(within(dialog()).getByText('3 of 3')).toBeTruthy()
  })

  it('never takes Ctrl+Enter within it for a yes to what is behind it', async () => {
    host.put(2, () => ({}))
    const drawer = await inDrawer()
    await waitFor(() => {
      expect(within(dialog()).getByRole('button', { name: 'Approve' }).getAttribute('aria-disabled')).toBe('false')
    }, { timeout: 3000 })
    const [row] = drawer.getAllByRole('button', { name: /^Review/ })
    fireEvent.keyDown(row as HTMLElement, { key: 'Enter', ctrlKey: true })
    expect(desk.answers).toEqual([])
    expect(desk.kept.map(({ status }) => status)).toEqual(['pending', 'pending'])
  })

  it('and the way to the rule hold still while an answer is given: it is not lost', async () => {
    desk.settingsNow = { ...desk.settingsNow, undoSeconds: 1 }
    host.put(2, (n) => ({ toolName: `tool_${String(n)}`, why: { rule: { id: 'rule-9', priority: 1 }, code: null, params: {}, reason: '' } }))
    const drawer = await inDrawer(/tool_0/)
    expect(drawer.getByRole('button', { name: /tool_1/ })).toBeTruthy()
    await waitFor(() => {
      expect(within(dialog()).getByRole('button', { name: 'Approve' })).toHaveProperty('ariaDisabled', 'false')
    }, { timeout: 3000 })
    press('Approve')
    await within(dialog()).findByRole('button', { name: /^Undo/ })
    expect(within(dialog()).getByRole('button', { name: 'All' })).toHaveProperty('disabled', true)
    expect(within(dialog()).queryByRole('region', { name: 'What waits' })).toBeNull()
    expect(fireEvent.click(within(dialog()).getByRole('link', { name: /rule-9/ }))).toBe(false)
    await waitFor(() => {
      expect(desk.answers.map(({ callId }) => callId)).toEqual(['c0'])
    }, { timeout: 3000 })
    await named(/tool_1/)
    expect(within(dialog()).getByRole('link', { name: /rule-9/ }).getAttribute('aria-disabled')).toBe('false')
  })

  it('declines all of a session after asking once, with the reason, and says what came of it', async () => {
    host.put(5, (n) => ({ sessionId: n < 3 ? 'mine' : 'other', rev: n + 1 }))
    const drawer = await inDrawer()
    const [first] = drawer.getAllByRole('button', { name: 'Decline all of this session' })
    fireEvent.click(first as HTMLElement)
    const ask = within(drawer.getByRole('group', { name: 'Decline all 3 calls?' }))
    expect(desk.answers).toEqual([])
    expect(document.activeElement).toBe(ask.getByRole('textbox'))
    fireEvent.change(ask.getByRole('textbox'), { target: { value: ' not now ' } })
    desk.settle('c1', 'expired')
    await waitFor(() => {
      expect(drawer.getByRole('button', { name: 'Decline 2' })).toBeTruthy()
    })
    fireEvent.click(drawer.getByRole('button', { name: 'Decline 2' }))
    await waitFor(() => {
      expect(desk.answers).toEqual([
        { callId: 'c0', answer: { approved: false, reason: 'not now', inputHash: 'sha256:c0', rev: 1 } },
        { callId: 'c2', answer: { approved: false, reason: 'not now', inputHash: 'sha256:c2', rev: 3 } },
      ])
    })
    await waitFor(() => {
      expect(said()).toContain('2 declined')
    })
    expect(within(dialog()).getByText('1 of 2')).toBeTruthy()
  })

  it('counts those that somebody else has settled before', async () => {
    host.put(4, () => ({}))
    const drawer = await inDrawer()
    fireEvent.click(drawer.getByRole('button', { name: 'Decline all of this session' }))
    const decide = desk.decide.bind(desk)
    desk.decide = (id, answer) => {
      if (id !== 'c1') return decide(id, answer)
      return Promise.reject(new DeskError({ code: 'already_decided', message: '', call: sampleCall({ id, rev: 2, status: 'approved' }) }))
    }
    fireEvent.click(drawer.getByRole('button', { name: 'Decline 4' }))
    await waitFor(() => {
      expect(said()).toContain('3 declined, 1 was settled before')
    })
  })

  it('keeps the reason of a session that could not be declined, and takes no focus from another field', async () => {
    host.put(4, (n) => ({ sessionId: n % 3 === 0 ? 'mine' : 'other' }))
    const drawer = await inDrawer()
    const [, other] = drawer.getAllByRole('button', { name: 'Decline all of this session' })
    const ask = () => within(drawer.getByRole('group', { name: 'Decline all 2 calls?' }))
    fireEvent.click(other as HTMLElement)
    fireEvent.change(ask().getByRole('textbox'), { target: { value: 'not now' } })
    desk.failures.set('decide', new DeskError({ code: 'unreachable', message: '' }))
    fireEvent.click(ask().getByRole('button', { name: 'Decline 2' }))
    expect(other?.ariaDisabled).toBe('true')
    fireEvent.click(other as HTMLElement)
    await waitFor(() => {
      expect(other?.ariaDisabled).toBe('false')
    })
    expect(ask().getByRole('textbox')).toHaveProperty('value', 'not now')
    desk.failures.clear()
    fireEvent.click(ask().getByRole('button', { name: 'Decline 2' }))
    const own = within(dialog()).getAllByRole('textbox').at(-1)
    own?.focus()
    await waitFor(() => {
      expect(drawer.getAllByRole('button', { name: /^Review/ })).toHaveLength(2)
    })
    expect(desk.answers.slice(-2).map(({ callId, answer }) => [callId, answer.reason])).toEqual([['c1', 'not now'], ['c2', 'not now']])
    await act(() => Promise.resolve())
    expect(document.activeElement).toBe(own)
  })

  it('takes no made-up event for a yes to declining', async () => {
    host.put(2, () => ({}))
    host.open({ strict: true })
    await named(/write_file/)
    press('All')
    press('Decline all of this session')
    press('Decline 2')
    await act(() => Promise.resolve())
    expect(desk.answers).toEqual([])
  })
})
