import { fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it } from 'vitest'
import { DeskError } from '../../desk/desk-error'
import { FakeDesk } from '../../desk/fake-desk'
import type { Server } from '../../desk/types'
import { choose } from '../../test/choose'
import { renderAt } from '../../test/render'
import { ServersScreen } from './servers-screen'

const web: Server = { id: 'web', transport: 'workspace', command: '', args: [], env: {}, cwd: '/home/ada/web', url: '', headers: {}, enabled: true, state: 'idle', tools: [], execution: 'desk', users: ['ada'], programFolders: ['/opt/node/bin'] }

let desk: FakeDesk

beforeEach(() => {
  desk = new FakeDesk()
})

it('adds a workspace: a folder, and who executes there', async () => {
  renderAt(desk, <ServersScreen />)
  fireEvent.click(await screen.findByRole('button', { name: 'Add a workspace' }))
  await userEvent.type(screen.getByLabelText('Name'), 'web')
  await userEvent.type(screen.getByLabelText('Folder'), ' /home/ada/web ')
  await userEvent.type(screen.getByLabelText('Folders of programs'), '/opt/node/bin{enter}{enter}')
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  await screen.findByText('/home/ada/web')
  expect(desk.serverList).toMatchObject([{ id: 'web', transport: 'workspace', cwd: '/home/ada/web', execution: 'desk', programFolders: ['/opt/node/bin'], command: '', enabled: true }])
})

it('shows at the folder why it is refused', async () => {
  desk.failures.set('saveServers', new DeskError({ code: 'invalid', fault: { field: 'servers[0].cwd', code: 'folder_link', params: { folder: '/real' } }, message: 'a link' }))
  renderAt(desk, <ServersScreen />)
  fireEvent.click(await screen.findByRole('button', { name: 'Add a workspace' }))
  await userEvent.type(screen.getByLabelText('Name'), 'web')
  await userEvent.type(screen.getByLabelText('Folder'), '/link')
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  await screen.findByText(/Name the folder itself: /)
  await waitFor(() => {
    expect(document.activeElement).toBe(screen.getByLabelText('Folder'))
  })
})

it('edits one: a client has no folders of programs, and whose agents see it stays', async () => {
  desk.serverList = [web]
  renderAt(desk, <ServersScreen />)
  fireEvent.click(await screen.findByRole('button', { name: 'Edit web' }))
  await choose(screen.getByLabelText('Who executes'), 'A client that holds the files')
  expect(screen.queryByLabelText('Folders of programs')).toBeNull()
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  await screen.findByText('A client that holds the files')
  expect(desk.serverList).toMatchObject([{ id: 'web', execution: 'client', programFolders: [], users: ['ada'] }])
})

it('says how far commands are confined, what is missing, and which program does not start', async () => {
  const programs = [{ name: 'git', missing: false, trouble: '' }, { name: 'node', missing: false, trouble: 'exit code 1: no' }, { name: 'zip', missing: true, trouble: '' }]
  desk.serverList = [{ ...web, confinement: { level: 'files', missing: ['network namespace'], programs, trouble: '' } }]
  renderAt(desk, <ServersScreen />)
  await screen.findByText('Commands are confined in their access to files only')
  expect(screen.getByText('This computer lacks: network namespace')).toBeTruthy()
  expect(screen.getByText(/does not start/).textContent).toBe('node does not start: exit code 1: no')
})
