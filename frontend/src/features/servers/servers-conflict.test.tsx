import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { DeskError } from '../../desk/desk-error'
import { FakeDesk } from '../../desk/fake-desk'
import type { Server } from '../../desk/types'
import { renderAt } from '../../test/render'
import { ServersScreen } from './servers-screen'

const fs: Server = { id: 'fs', transport: 'stdio', command: 'npx', args: ['-y'], env: { TOKEN: '********' }, cwd: '', url: '', headers: {}, enabled: true, state: 'running', tools: [], revision: 'r1' }

let desk: FakeDesk

beforeEach(() => {
  desk = new FakeDesk()
  desk.serverList = [fs]
})

const edit = async (command: string) => {
  renderAt(desk, <ServersScreen />)
  fireEvent.click(await screen.findByRole('button', { name: 'Edit fs' }))
  fireEvent.change(screen.getByLabelText('Command'), { target: { value: command } })
}
const save = () => {
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
}

describe('a server that somebody else changed while it is edited', () => {
  it('is not overwritten: what changed is shown, what was typed stays, and saving again replaces what was shown', async () => {
    await edit('node')
    desk.serverList = [{ ...fs, command: 'deno', args: [], env: { A: '1', B: '2' }, enabled: false, revision: 'r2' }]
    save()
    const { textContent } = await screen.findByRole('alert')
    for (const words of ['nothing was saved', 'Command: deno', 'Arguments: (empty)', 'Environment: A=1B=2', 'Off']) expect(textContent).toContain(words)
    expect(textContent).not.toContain('Folder')
    expect(desk.serverList).toMatchObject([{ command: 'deno', enabled: false }])
    expect(screen.getByLabelText('Command')).toHaveProperty('value', 'node')
    desk.serverList = [{ ...fs, command: 'bun', revision: 'r3' }] // and again, before the page knows
    save()
    await waitFor(() => {
      expect(screen.getByRole('alert').textContent).toContain('Command: bun')
    })
    expect(desk.serverList).toMatchObject([{ command: 'bun' }])
    save()
    await waitFor(() => {
      expect(desk.serverList).toMatchObject([{ id: 'fs', command: 'node', args: ['-y'], enabled: true }])
    })
  })

  it('replaces only what was shown: of what came after it the next save says anew, though the page knows it', async () => {
    await edit('node')
    desk.serverList = [{ ...fs, command: 'deno', revision: 'r2' }]
    save()
    await screen.findByText('deno')
    desk.serverList = [{ ...fs, command: 'bun', revision: 'r3' }, { ...fs, id: 'other' }]
    desk.hint('servers.changed')
    await screen.findByText('other')
    expect(screen.getByRole('alert').textContent).toContain('Command: deno')
    save()
    await screen.findByText('bun')
    expect(screen.getByRole('alert').textContent).toContain('Command: bun')
    expect(desk.serverList).toMatchObject([{ command: 'bun' }, { id: 'other' }])
    save()
    await waitFor(() => {
      expect(desk.serverList).toMatchObject([{ id: 'fs', command: 'node' }, { id: 'other' }])
    })
  })

  it('is not replaced unseen when it was removed and came back as another', async () => {
    await edit('node')
    desk.serverList = []
    save()
    expect((await screen.findByRole('alert')).textContent).toContain('was removed meanwhile')
    desk.serverList = [{ ...fs, command: 'bun', revision: 'r3' }]
    save()
    await screen.findByText('bun')
    expect(screen.getByRole('alert').textContent).toContain('Command: bun')
    expect(desk.serverList).toMatchObject([{ command: 'bun' }])
    save()
    await waitFor(() => {
      expect(desk.serverList).toMatchObject([{ id: 'fs', command: 'node' }])
    })
  })

  it('says so when only what is hidden changed', async () => {
    await edit('node')
    desk.serverList = [{ ...fs, revision: 'r2' }]
    save()
    expect((await screen.findByRole('alert')).textContent).toContain('A hidden value')
    expect(desk.serverList).toMatchObject([{ command: 'npx' }])
  })

  it('stays in its form when it was removed, and is added anew by saving again', async () => {
    await edit('node')
    desk.serverList = []
    desk.hint('servers.changed')
    save()
    expect((await screen.findByRole('alert')).textContent).toContain('was removed meanwhile')
    expect(desk.serverList).toEqual([])
    expect(screen.getByLabelText('Command')).toHaveProperty('value', 'node')
    save()
    await waitFor(() => {
      expect(desk.serverList).toMatchObject([{ id: 'fs', command: 'node' }])
      expect(screen.queryByRole('form')).toBeNull()
    })
  })

  it('is not removed either before the person knows', async () => {
    renderAt(desk, <ServersScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'Remove fs' }))
    const dialog = within(screen.getByRole('alertdialog'))
    desk.serverList = [{ ...fs, command: 'deno', revision: 'r2' }]
    fireEvent.click(dialog.getByRole('button', { name: 'Remove the server' }))
    expect((await dialog.findByRole('alert')).textContent).toBe('Someone else changed this meanwhile.')
    expect(desk.serverList).toHaveLength(1)
    await screen.findByText('deno -y')
    fireEvent.click(dialog.getByRole('button', { name: 'Remove the server' }))
    await screen.findByText('No servers yet')
  })
})

describe('a list that changes between the look and the write', () => {
  it('is read anew: the other change and this one are both kept', async () => {
    await edit('node')
    const write = desk.saveServers.bind(desk)
    vi.spyOn(desk, 'saveServers').mockImplementationOnce((servers, version) => {
      desk.serverList = [fs, { ...fs, id: 'other' }]
      return write(servers, version)
    })
    save()
    await waitFor(() => {
      expect(desk.serverList).toMatchObject([{ id: 'fs', command: 'node' }, { id: 'other' }])
    })
  })

  it('is given up on when it never rests, and the form says so', async () => {
    await edit('node')
    desk.failures.set('saveServers', new DeskError({ code: 'lost_update', message: 'the servers were changed meanwhile' }))
    const write = vi.spyOn(desk, 'saveServers')
    save()
    expect((await screen.findByRole('alert')).textContent).toBe('Someone else changed this meanwhile.')
    expect(write).toHaveBeenCalledTimes(3)
    expect(screen.getByLabelText('Command')).toHaveProperty('value', 'node')
  })
})
