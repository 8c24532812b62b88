import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { FakeDesk } from '../../desk/fake-desk'
import type { Session } from '../../desk/types'
import { choose } from '../../test/choose'
import { renderAt } from '../../test/render'
import { sampleSession } from '../../test/samples'
import { AgentsScreen } from './agents-screen'

const passkey = 'skp_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG'

const session: Session = { ...sampleSession, id: 's-1', expiresAt: '2026-01-01T08:00:00.000Z' }

let desk: FakeDesk

beforeEach(() => {
  desk = new FakeDesk()
  desk.agentList = [{ id: 'a', name: 'scribe', createdAt: '2026-01-01T00:00:00.000Z', stoppedUntil: null, role: null, userId: '' }]
  desk.projectList = [{ id: 'site', members: { a: 'worker' }, createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' }]
})

/** Everything that the page keeps of a text anywhere: its document, its storage. */
function kept(): string {
  return [document.documentElement.outerHTML, JSON.stringify(sessionStorage), JSON.stringify(localStorage), window.location.href].join('\n')
}

describe('the role of an agent', () => {
  it('is given and taken back', async () => {
    renderAt(desk, <AgentsScreen />)
    await choose(await screen.findByRole('combobox', { name: 'Role of scribe' }), 'Coordinator')
    await waitFor(() => {
      expect(desk.agentList[0]?.role).toBe('coordinator')
    })
    await choose(screen.getByRole('combobox', { name: 'Role of scribe' }), 'No role')
    await waitFor(() => {
      expect(desk.agentList[0]?.role).toBeNull()
    })
  })
})

describe('the sessions of agents', () => {
  it('say what the agent is in them, for which project, until when, and end', async () => {
    desk.sessionList = [session, { ...session, id: 's-2', expiresAt: null, purpose: 'chat', role: 'manager' }, { ...session, id: 's-3', role: null, purpose: null, projectId: null, expiresAt: null, state: 'review' }, { ...session, id: 's-4', state: 'ended' }]
    renderAt(desk, <AgentsScreen />)
    const row = async (id: string) => within((await screen.findByText(id)).closest<HTMLElement>('[role=row]') ?? document.body)
    const first = await row('s-1')
    await first.findByText('worker, for a task')
    first.getByText('site')
    first.getByText(/^until/)
    first.getByText('Open')
    const second = await row('s-2')
    second.getByText('manager, for chat')
    second.getByText('Waits for its agent')
    const third = await row('s-3')
    third.getByText('its own session')
    third.getByText('A call waits')
    expect(screen.queryByText('s-4')).toBeNull()
    fireEvent.click(screen.getByRole('button', { name: 'End the session s-1' }))
    await waitFor(() => {
      expect(screen.queryByText('s-1')).toBeNull()
    })
    expect(desk.sessionList[0]?.state).toBe('ended')
  })

  it('are made with a passkey that is shown this once, and kept nowhere', async () => {
    renderAt(desk, <AgentsScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'New session' }))
    const form = within(await screen.findByRole('form', { name: 'New session' }))
    await choose(form.getByRole('combobox', { name: 'Role' }), 'manager')
    await choose(form.getByRole('combobox', { name: 'Purpose' }), 'for chat')
    await choose(form.getByRole('combobox', { name: 'Lasts at most' }), '24 hours')
    await userEvent.clear(form.getByRole('combobox', { name: 'Project' }))
    await userEvent.type(form.getByRole('combobox', { name: 'Project' }), 'site')
    fireEvent.click(form.getByRole('button', { name: 'Make the session' }))
    const card = within(await screen.findByRole('region', { name: 'The passkey for scribe' }))
    card.getByText(passkey)
    card.getByText(/"--session-file"/)
    card.getByText(/"project_id": "site"/)
    expect(desk.sessionList).toMatchObject([{ agentId: 'a', role: 'manager', purpose: 'chat', projectId: 'site' }])
    fireEvent.click(card.getByRole('button', { name: 'Close' }))
    await screen.findByText('manager, for chat')
    expect(kept()).not.toContain('skp_')
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'New session' }))
  })

  it('say what is wrong at the project', async () => {
    desk.projectList = []
    renderAt(desk, <AgentsScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'New session' }))
    fireEvent.click(await screen.findByRole('button', { name: 'Make the session' }))
    await waitFor(() => {
      expect(screen.getByRole('combobox', { name: 'Project' }).getAttribute('aria-invalid')).toBe('true')
    })
    expect(desk.sessionList).toEqual([])
  })
})
