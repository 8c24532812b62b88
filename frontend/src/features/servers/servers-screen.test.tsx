import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { DeskError } from '../../desk/desk-error'
import { FakeDesk } from '../../desk/fake-desk'
import type { Server, ToolLook } from '../../desk/types'
import { choose } from '../../test/choose'
import { renderAt } from '../../test/render'
import { fieldOf } from './server-draft'
import { ServersScreen } from './servers-screen'

const fs: Server = { id: 'fs', transport: 'stdio', command: 'npx', args: ['-y', 'a b'], env: { TOKEN: '********', HOME: '/x=y' }, cwd: '', url: '', headers: {}, enabled: true, state: 'running', tools: ['read'] }

let desk: FakeDesk

beforeEach(() => {
  desk = new FakeDesk()
})

describe('the servers screen', () => {
  it('adds a server: arguments and environment one a line', async () => {
    renderAt(desk, <ServersScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'Add a server' }))
    await userEvent.type(screen.getByLabelText('Name'), 'shell')
    await userEvent.type(screen.getByLabelText('Command'), 'mcp-shell')
    await userEvent.type(screen.getByLabelText('Arguments'), '--dir{enter}/my folder{enter}')
    await userEvent.type(screen.getByLabelText('Environment'), 'A=1{enter}{enter}B=x=y')
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    await screen.findByText('shell')
    expect(desk.serverList).toMatchObject([{ id: 'shell', transport: 'stdio', command: 'mcp-shell', args: ['--dir', '/my folder'], env: { A: '1', B: 'x=y' }, enabled: true }])
  })

  it('adds a server over HTTP, with headers one a line, and sends nothing of the other kind', async () => {
    renderAt(desk, <ServersScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'Add a server' }))
    await userEvent.type(screen.getByLabelText('Name'), 'far')
    await userEvent.type(screen.getByLabelText('Command'), 'left over')
    await choose(screen.getByLabelText('Reached by'), 'An address (HTTP)')
    expect(screen.queryByLabelText('Command')).toBeNull()
    await userEvent.type(screen.getByLabelText('Address'), ' https://example.com/mcp ')
    fireEvent.change(screen.getByLabelText('Headers'), { target: { value: 'Authorization: Bearer a:b\n\nno header' } })
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    await screen.findByText('Line 3 is not Name: value.')
    fireEvent.change(screen.getByLabelText('Headers'), { target: { value: 'Authorization: Bearer a:b' } })
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    await screen.findByText('https://example.com/mcp')
    expect(desk.serverList).toMatchObject([{ id: 'far', transport: 'http', command: '', args: [], env: {}, cwd: '', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer a:b' } }])
    fireEvent.click(screen.getByRole('button', { name: 'Edit far' }))
    expect(screen.getByLabelText('Headers')).toHaveProperty('value', 'Authorization: Bearer a:b')
    expect(screen.getByRole('button', { name: 'Test' })).toBeTruthy()
  })

  it('says of a server that what it starts may stay behind, where the desk says so', async () => {
    desk.serverList = [{ ...fs, endsChildren: true }, { ...fs, id: 'far' }]
    const { unmount } = renderAt(desk, <ServersScreen />)
    await screen.findByText('far')
    expect(screen.queryByText(/may stay behind/)).toBeNull()
    unmount()
    desk.serverList = [{ ...fs, endsChildren: false }]
    renderAt(desk, <ServersScreen />)
    await screen.findByText(/may stay behind/)
  })

  it('says where secrets are, and which server does not have its own', async () => {
    desk.serverList = [{ ...fs, state: 'failed', trouble: 'its secret values (TOKEN) are not at hand' }]
    desk.secretsNow = { where: '/home/me/.local/share/sekisho/secrets.json', trouble: '' }
    renderAt(desk, <ServersScreen />)
    const note = await screen.findByRole('note')
    expect(note.textContent).toContain('/home/me/.local/share/sekisho/secrets.json, a file that only your user account can read')
    expect(await screen.findByText(/its secret values \(TOKEN\) are not at hand/)).toBeTruthy()
    desk.secretsNow = { ...desk.secretsNow, trouble: 'the file of secrets is damaged' }
    desk.hint('servers.changed')
    expect((await screen.findByRole('alert')).textContent).toContain('the file of secrets is damaged')
    expect(screen.queryByRole('note')).toBeNull()
  })

  it('signs in to a server over HTTP in the browser, and out', async () => {
    const far: Server = { ...fs, id: 'far', transport: 'http', command: '', args: [], env: {}, url: 'https://far.example/mcp' }
    desk.serverList = [far, { ...far, id: 'own', headers: { authorization: '********' } }, fs]
    renderAt(desk, <ServersScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'Sign in to far' }))
    expect(screen.queryByRole('button', { name: 'Sign in to own' })).toBeNull()
    expect(screen.queryByRole('button', { name: 'Sign in to fs' })).toBeNull()
    fireEvent.click(await screen.findByRole('link', { name: 'Open the page again' }))
    expect(desk.opened).toEqual(['https://auth.example/authorize?state=x', 'https://auth.example/authorize?state=x'])
    desk.serverList = desk.serverList.map((s) => ({ ...s, signIn: { state: 'failed' as const, issuer: '', url: '', error: 'it was declined', wants: [], client: null } }))
    expect(await screen.findByText(/it was declined/, {}, { timeout: 4000 })).toBeTruthy()
    desk.serverList = [{ ...far, signIn: { state: 'signedIn' as const, issuer: 'https://auth.example', url: '', error: '', wants: [], client: null } }]
    desk.hint('servers.changed')
    fireEvent.click(await screen.findByRole('button', { name: 'Sign out of far' }))
    expect(await screen.findByRole('button', { name: 'Sign in to far' })).toBeTruthy()
  })

  it('says which rights a server wants, signs in for them, and what of a sign-out failed', async () => {
    const signedIn = { state: 'signedIn' as const, issuer: 'https://auth.example', url: '', error: '', wants: ['files:write', 'a\u200bb'], client: null }
    desk.serverList = [{ ...fs, id: 'far', transport: 'http', command: '', args: [], env: {}, url: 'https://far.example/mcp', signIn: signedIn }]
    renderAt(desk, <ServersScreen />)
    expect((await screen.findByRole('note')).textContent).toContain('The server wants more rights: files:write a⟦U+200B⟧b')
    fireEvent.click(screen.getByRole('button', { name: 'Sign in to far for more rights' }))
    await waitFor(() => {
      expect(desk.opened).toEqual(['https://auth.example/authorize?state=x'])
    })
    await screen.findByText('Open the page again')
    expect(screen.queryByRole('button', { name: 'Sign in to far for more rights' })).toBeNull()
    desk.serverList = desk.serverList.map((s) => ({ ...s, signIn: { ...signedIn, wants: [], error: 'it did not give: files:write' } }))
    desk.hint('servers.changed')
    expect(await screen.findByText('it did not give: files:write')).toBeTruthy()
    desk.signOutNow = { ...desk.signOutNow, error: 'it did not take them back' }
    fireEvent.click(screen.getByRole('button', { name: 'Sign out of far' }))
    expect(await screen.findByText('it did not take them back')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Sign in to far' })).toBeTruthy()
    expect(screen.queryByText('it did not give: files:write')).toBeNull()
  })

  it('signs in with a client that the person registered, and keeps what stands there', async () => {
    const began = vi.spyOn(desk, 'signIn')
    desk.serverList = [{ ...fs, id: 'far', transport: 'http', command: '', args: [], env: {}, url: 'https://far.example/mcp' }]
    renderAt(desk, <ServersScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'Sign in to far with a client ID' }))
    fireEvent.change(screen.getByLabelText('Client ID'), { target: { value: ' mine ' } })
    fireEvent.change(screen.getByLabelText('Client secret'), { target: { value: 'hush' } })
    fireEvent.change(screen.getByLabelText('Scopes'), { target: { value: ' repo  user ' } })
    expect(screen.getByText(/http:\/\/127\.0\.0\.1\/callback/)).toBeTruthy()
    fireEvent.change(screen.getByLabelText('Port of the redirect'), { target: { value: '7777' } })
    expect(screen.getByText(/http:\/\/127\.0\.0\.1:7777\/callback/)).toBeTruthy()
    const form = screen.getByRole('form', { name: 'Sign in to far with a client ID' })
    desk.failures.set('signIn', new DeskError({ code: 'invalid', fault: { code: 'not_taken', params: {}, field: 'client.callbackPort' }, message: 'a port is 1024 to 65535' }))
    fireEvent.click(within(form).getByRole('button', { name: 'Sign in' }))
    await within(form).findByText('a port is 1024 to 65535')
    desk.failures.clear()
    fireEvent.click(within(form).getByRole('button', { name: 'Sign in' }))
    await screen.findByText('Open the page again')
    expect(began).toHaveBeenLastCalledWith('far', { id: 'mine', secret: 'hush', scopes: ['repo', 'user'], callbackPort: 7777 })
    await waitFor(() => {
      expect(screen.queryByLabelText('Client ID')).toBeNull()
    })
    fireEvent.click(screen.getByRole('button', { name: 'Sign in to far with a client ID' }))
    expect(screen.getByLabelText('Client secret')).toHaveProperty('value', '********')
    expect(screen.getByLabelText('Scopes')).toHaveProperty('value', 'repo user')
    fireEvent.keyDown(screen.getByLabelText('Client ID'), { key: 'Escape' })
    expect(screen.queryByLabelText('Client ID')).toBeNull()
  })

  it.each(['Cancel', 'Escape'])('gives the focus back after %s in the form of the client', async (how) => {
    desk.serverList = [{ ...fs, id: 'far', transport: 'http', command: '', args: [], env: {}, url: 'https://far.example/mcp' }]
    renderAt(desk, <ServersScreen />)
    const opener = () => screen.findByRole('button', { name: 'Sign in to far with a client ID' })
    fireEvent.click(await opener())
    const id = screen.getByLabelText('Client ID')
    expect(document.activeElement).toBe(id)
    if (how === 'Cancel') fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    else fireEvent.keyDown(id, { key: 'Escape' })
    expect(document.activeElement).toBe(await opener())
  })

  it('edits one server, keeps masked secrets and whatever came meanwhile', async () => {
    desk.serverList = [fs]
    renderAt(desk, <ServersScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'Edit fs' }))
    expect(screen.getByLabelText('Environment')).toHaveProperty('value', 'TOKEN=********\nHOME=/x=y')
    expect(screen.queryByLabelText('Name')).toBeNull()
    desk.serverList = [fs, { ...fs, id: 'other' }]
    fireEvent.change(screen.getByLabelText('Command'), { target: { value: 'node' } })
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => {
      expect(desk.serverList).toMatchObject([{ id: 'fs', command: 'node', args: ['-y', 'a b'], env: fs.env }, { id: 'other' }])
    })
  })

  it('says what is wrong at the field', async () => {
    desk.serverList = [fs]
    renderAt(desk, <ServersScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'Edit fs' }))
    fireEvent.change(screen.getByLabelText('Environment'), { target: { value: 'A=1\nB' } })
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    await screen.findByText('Line 2 is not NAME=value.')
    fireEvent.change(screen.getByLabelText('Environment'), { target: { value: '' } })
    desk.failures.set('saveServers', new DeskError({ code: 'invalid', fault: { code: 'command_missing', params: {}, field: 'servers[0].command' }, message: 'a stdio server needs a command' }))
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    const error = await screen.findByText('A program needs a command.')
    expect(screen.getByLabelText('Command').getAttribute('aria-describedby')).toContain(error.id)
  })

  it('refuses a name that is taken', async () => {
    desk.serverList = [fs]
    renderAt(desk, <ServersScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'Add a server' }))
    await userEvent.type(screen.getByLabelText('Name'), 'fs')
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    await screen.findByText('A server of this name exists.')
    expect(desk.serverList).toEqual([fs])
  })

  it('removes after a confirmation', async () => {
    desk.serverList = [fs]
    renderAt(desk, <ServersScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'Remove fs' }))
    expect(desk.serverList).toHaveLength(1)
    fireEvent.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Remove the server' }))
    await screen.findByText('No servers yet')
  })
})

describe('fieldOf', () => {
  it.each([
    ['servers[2].env.KEY', 'env'],
    ['servers[0].id', 'id'],
    ['command', 'command'],
    ['', ''],
    [undefined, ''],
  ])('%s is %s', (path, field) => {
    expect(fieldOf(path)).toBe(field)
  })

  it('tries a server as it is written, without saving it', async () => {
    const tried = vi.spyOn(desk, 'testServer')
    desk.testNow = { ok: true, flaggedTools: [], tools: ['read_file', 'write\u200b_file'], error: '', stderr: '' }
    renderAt(desk, <ServersScreen />)
    fireEvent.click(await screen.findByRole('button', { name: /Add a server/ }))
    fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'fs' } })
    fireEvent.change(screen.getByLabelText('Command'), { target: { value: 'npx' } })
    fireEvent.click(screen.getByRole('button', { name: 'Test' }))
    await screen.findByText('It answers, and offers 2 tools.')
    expect(document.body.textContent).toContain('⟦U+200B⟧')
    expect(tried.mock.calls[0]).toMatchObject([{ id: 'fs', command: 'npx' }])
    expect(desk.serverList.some(({ id }) => id === 'fs')).toBe(false)
  })

  it('says why a server does not work, in its own words', async () => {
    desk.testNow = { ok: false, flaggedTools: [], tools: [], error: 'it ended before it answered', stderr: 'Error: no such folder' }
    desk.serverList = [{ id: 'fs', transport: 'stdio', command: 'npx', args: [], env: {}, cwd: '', url: '', headers: {}, enabled: true, state: 'idle', tools: [] }]
    renderAt(desk, <ServersScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'Test fs' }))
    await screen.findByText('Error: no such folder')
    expect(document.body.textContent).toContain('it ended before it answered')
  })
})

const line = { old: 0, new: 0, count: 0, ending: '' } as const
const changedTool: ToolLook = {
  serverId: 'fs',
  toolName: 'read\u200b',
  changed: 'both',
  back: false,
  definition: { before: 'h1', after: 'h2', cut: false, added: 1, removed: 1, more: 0, lines: [{ ...line, kind: 'removed', text: '"Reads."', old: 1 }, { ...line, kind: 'added', text: '"Sends it a\u202eway."', new: 1 }] },
  launch: { before: 'l1', after: 'l2', cut: true, added: 1, removed: 0, more: 3, lines: [{ ...line, kind: 'added', text: '--all', new: 1 }] },
  shown: { definition: 'h2', launch: 'l2', back: false },
}

describe('a tool that changed', () => {
  beforeEach(() => {
    desk.serverList = [{ ...fs, changedTools: [changedTool.toolName] }]
    desk.toolLooks = [changedTool]
  })
  const open = async () => {
    renderAt(desk, <ServersScreen />)
    fireEvent.click(await screen.findByRole('button', { name: /^Show what changed in read/ }))
    await screen.findByText('--all')
  }
  const lookAgain = async () => {
    expect((await screen.findByRole('alert')).textContent).toContain('The tool changed again')
    fireEvent.click(screen.getByRole('button', { name: 'Look again' }))
  }
  const seen = () => screen.getByRole('button', { name: /^I have seen what changed in read/ })

  it('is named, shown line by line with what hides in it, and accepted as it was shown', async () => {
    const accept = vi.spyOn(desk, 'acceptTool')
    await open()
    expect(screen.getByText('1 tool changed')).toBeTruthy()
    const text = document.body.textContent
    for (const words of ['⟦U+200B⟧', '"Reads."', '⟦U+202E⟧', 'Only its beginning is shown', '3 more lines']) expect(text).toContain(words)
    fireEvent.click(seen())
    await waitFor(() => {
      expect(screen.queryByText('1 tool changed')).toBeNull()
    })
    expect(accept).toHaveBeenCalledWith(changedTool)
  })

  it('is shown again when it is another by the time it is accepted', async () => {
    await open()
    const back = { ...changedTool, back: true, shown: { ...changedTool.shown, back: true } }
    desk.toolLooks = [back]
    desk.failures.set('acceptTool', new DeskError({ code: 'stale', message: 'changed again' }))
    fireEvent.click(seen())
    await lookAgain()
    expect(document.body.textContent).toContain('It now says again what was allowed')
    desk.failures.clear()
    const accept = vi.spyOn(desk, 'acceptTool')
    fireEvent.click(seen())
    await waitFor(() => {
      expect(accept).toHaveBeenCalledWith(back)
    })
  })

  it('stays as it was shown, and is not to be accepted, while there is another', async () => {
    await open()
    const line3 = { ...line, kind: 'added', text: '"Sends it further."', new: 1 } as const
    desk.toolLooks = [{ ...changedTool, definition: { before: 'h1', after: 'h3', cut: false, added: 1, removed: 0, more: 0, lines: [line3] }, shown: { ...changedTool.shown, definition: 'h3' } }]
    desk.hint('servers.changed')
    await screen.findByRole('alert')
    expect(screen.getByText('"Reads."')).toBeTruthy()
    expect(screen.queryByText('"Sends it further."')).toBeNull()
    expect(screen.queryByRole('button', { name: /^I have seen/ })).toBeNull()
    await lookAgain()
    expect(screen.getByText('"Sends it further."')).toBeTruthy()
    expect(screen.queryByText('"Reads."')).toBeNull()
    expect(seen()).toBeTruthy()
  })

  it('is not to be accepted unseen', async () => {
    desk.failures.set('tool', new DeskError({ code: 'unavailable', message: 'closing' }))
    renderAt(desk, <ServersScreen />)
    fireEvent.click(await screen.findByRole('button', { name: /^Show what changed in read/ }))
    await screen.findByText('The desk is closing or busy. Try again.')
    expect(screen.queryByRole('button', { name: /^I have seen/ })).toBeNull()
  })
})
