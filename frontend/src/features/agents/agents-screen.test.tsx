import { fireEvent, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { DeskError } from '../../desk/desk-error'
import { FakeDesk } from '../../desk/fake-desk'
import { renderAt } from '../../test/render'
import { AgentsScreen } from './agents-screen'

let desk: FakeDesk

beforeEach(() => {
  desk = new FakeDesk()
})

describe('the agents screen', () => {
  it('shows a new agent’s token this once, with what to paste', async () => {
    desk.serverList = [{ id: 'fs', transport: 'stdio', command: 'x', args: [], env: {}, cwd: '', url: '', headers: {}, enabled: true, state: '', tools: [] }]
    renderAt(desk, <AgentsScreen />)
    await screen.findByText('No agents yet')
    await userEvent.type(screen.getByLabelText('Name'), 'claude{enter}')
    const card = await screen.findByRole('region', { name: 'The token of claude' })
    await within(card).findByText(/"--server",\s+"fs",\s+"--agent",\s+"claude"/)
    expect(within(card).getByText('ska_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG')).toBeTruthy()
    expect(within(card).getByText(/"url": "http:\/\/127.0.0.1:7360\/mcp\/fs"/)).toBeTruthy()
    expect(within(card).getByText(/does not make the desk prove itself/)).toBeTruthy()
    fireEvent.click(within(card).getByRole('button', { name: 'Close' }))
    expect(document.body.textContent).not.toContain('ska_')
  })

  it('says what is wrong with a name', async () => {
    renderAt(desk, <AgentsScreen />)
    desk.failures.set('createAgent', new DeskError({ code: 'invalid', fault: { code: 'name_form', params: {}, field: 'name' }, message: 'desk' }))
    fireEvent.click(screen.getByRole('button', { name: 'Create an agent' }))
    const error = await screen.findByText(/^A name has 1 to 64 letters/)
    expect(screen.getByLabelText('Name').getAttribute('aria-describedby')).toContain(error.id)
  })

  it('stops an agent, says until when, and lets it go on', async () => {
    desk.agentList = [{ id: 'a', name: 'claude', createdAt: '2026-01-01T00:00:00.000Z', stoppedUntil: null, role: null, userId: '' }]
    renderAt(desk, <AgentsScreen />)
    const stop = await screen.findByRole('button', { name: 'Stop claude' })
    stop.focus()
    await userEvent.keyboard('{Enter}')
    expect((await screen.findByText(/is stopped until/)).textContent).toMatch(/ by you\.$/)
    expect(desk.agentList[0]?.stoppedUntil).not.toBeNull()
    const goOn = screen.getByRole('button', { name: 'Let claude go on' })
    expect(document.activeElement).toBe(goOn)
    fireEvent.click(goOn)
    await screen.findByRole('button', { name: 'Stop claude' })
    expect(desk.agentList[0]?.stoppedUntil).toBeNull()
  })

  it('revokes after a confirmation', async () => {
    desk.agentList = [{ id: 'a', name: 'claude', createdAt: '2026-01-01T00:00:00.000Z', stoppedUntil: null, role: null, userId: '' }]
    renderAt(desk, <AgentsScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'Revoke claude' }))
    expect(desk.agentList).toHaveLength(1)
    fireEvent.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Revoke the agent' }))
    await screen.findByText('No agents yet')
    expect(desk.agentList).toEqual([])
  })
})
