import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { FakeDesk } from '../../desk/fake-desk'
import type { Server } from '../../desk/types'
import { choose } from '../../test/choose'
import { renderAt } from '../../test/render'
import { ServersScreen } from './servers-screen'
import { tableText, withPermission } from './tool-table'

const plain: Server = { id: 'fs', transport: 'stdio', command: 'npx', args: [], env: {}, cwd: '', url: '', headers: {}, enabled: true, state: 'idle', tools: ['read', 'write'] }
const guarded: Server = { ...plain, toolPermissions: { write: 'task_only', '*': 'authenticated' } }
const builtin: Server = { ...plain, id: 'coordination', transport: 'builtin', command: '', tools: [], toolPermissions: { authenticate: 'unauthenticated', assign_task: 'manager_only' } }

let desk: FakeDesk

beforeEach(() => {
  desk = new FakeDesk()
})

async function edit(id: string): Promise<HTMLElement> {
  renderAt(desk, <ServersScreen />)
  fireEvent.click(await screen.findByRole('button', { name: `Edit ${id}` }))
  return screen.getByRole('form', { name: `Edit ${id}` })
}

const save = async (form: HTMLElement) => {
  fireEvent.click(within(form).getByRole('button', { name: 'Save' }))
  await waitFor(() => {
    expect(screen.queryByRole('form')).toBeNull()
  })
}

describe('a table of permissions', () => {
  it('stays as it is when something else is edited, and so do those of all other servers', async () => {
    desk.serverList = [guarded, builtin]
    const form = await edit('fs')
    await userEvent.type(within(form).getByLabelText('Folder to start in'), '/tmp')
    await save(form)
    expect(desk.serverList).toMatchObject([{ cwd: '/tmp', toolPermissions: guarded.toolPermissions }, { toolPermissions: builtin.toolPermissions }])
  })

  it('is made by a person: for all tools, for a known one, and for one by its name', async () => {
    desk.serverList = [plain]
    const form = within(await edit('fs'))
    expect(form.queryByLabelText('All other tools')).toBeNull()
    fireEvent.click(form.getByLabelText('Ask for a role or a session before any rule'))
    await choose(form.getByLabelText('All other tools'), 'nobody: not registered')
    await choose(form.getByLabelText('Who may use read'), 'everybody')
    await userEvent.type(form.getByLabelText('Another tool'), 'constructor{enter}')
    await choose(form.getByLabelText('Who may use constructor'), 'managers and coordinators')
    await save(screen.getByRole('form'))
    expect(desk.serverList[0]?.toolPermissions).toEqual({ read: 'unauthenticated', constructor: 'manager_only' })
  })

  it('is taken away only where a person says so', async () => {
    desk.serverList = [guarded]
    const form = within(await edit('fs'))
    await choose(form.getByLabelText('Who may use write'), 'as all others')
    fireEvent.click(form.getByLabelText('Ask for a role or a session before any rule'))
    await save(screen.getByRole('form'))
    expect(desk.serverList[0]?.toolPermissions).toBeNull()
  })

  it('that was changed meanwhile is shown before it is replaced', async () => {
    desk.serverList = [guarded]
    const form = await edit('fs')
    desk.serverList = [{ ...guarded, toolPermissions: { '*': 'coordinator_only' } }]
    fireEvent.click(within(form).getByRole('button', { name: 'Save' }))
    const conflict = within(await screen.findByRole('alert'))
    conflict.getByText(/changed meanwhile/)
    conflict.getByText('coordinators')
    expect(desk.serverList[0]?.toolPermissions).toEqual({ '*': 'coordinator_only' })
  })

  it('is said in words, with what becomes of tools that it does not name', async () => {
    desk.serverList = [{ ...guarded, toolPermissions: { write: 'task_only' } }]
    renderAt(desk, <ServersScreen />)
    const row = (await screen.findByText('Who may use the tools')).closest('details')
    expect(row?.textContent).toMatch(/write.*sessions for a task.*All other tools.*nobody: not registered/)
  })

  it('of the desk’s own server is shown, and nothing of that server can be edited', async () => {
    desk.serverList = [builtin]
    renderAt(desk, <ServersScreen />)
    await screen.findByText(/^Part of the desk/)
    expect(screen.getByRole('link', { name: 'Turn it on or off on the screen Work' }).getAttribute('href')).toBe('#/work')
    expect(screen.getByText('managers and coordinators')).toBeTruthy()
    for (const name of [/^Edit/, /^Remove/, /^Test/]) expect(screen.queryByRole('button', { name })).toBeNull()
  })
})

describe('tables', () => {
  it('are told apart by what they say, not by its order', () => {
    expect(tableText({ a: 'task_only', '*': 'chat_only' })).toBe(tableText({ '*': 'chat_only', a: 'task_only' }))
    expect(tableText({})).not.toBe(tableText(null))
    expect(tableText(undefined)).toBe(tableText(null))
  })

  it('take any name of a tool', () => {
    const table = withPermission({}, '__proto__', 'task_only')
    expect(Object.entries(table)).toEqual([['__proto__', 'task_only']])
    expect(Object.keys(withPermission(table, '__proto__', null))).toEqual([])
  })
})
