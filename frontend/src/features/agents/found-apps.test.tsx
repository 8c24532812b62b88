import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { DeskError } from '../../desk/desk-error'
import { FakeDesk } from '../../desk/fake-desk'
import type { ClientApp, ClientFile, DiffLine } from '../../desk/types'
import { renderAt } from '../../test/render'
import { FoundApps } from './found-apps'

const line = (text: string): DiffLine => ({ kind: 'added', text, old: 1, new: 1, count: 0, ending: '' })
const claude: ClientApp = {
  client: 'claude-code', name: 'Claude Code', found: true, wired: false, spoken: false, firstAt: null,
  unasked: ['runs_commands', 'edits_files', 'hooks_missing', 'servers_past_desk'],
}
const none = { missesLikely: [], missesOthers: [], limit: '', folder: '', state: 'direct' as const, off: false, reason: '', why: null }
const file = (id: string, path: string, hook: boolean): ClientFile => ({
  id, name: 'Claude Code', path, state: 'direct', error: '', back: null,
  entries: [{ ...none, key: id, hook, serverId: hook ? '' : id }],
  move: { shown: `seal-${id}`, difference: { added: 1, removed: 0, lines: [line(`line of ${id}`)], more: 0, cut: false } },
})

let desk: FakeDesk
let onPanel: ReturnType<typeof vi.fn<(open: boolean) => void>>

beforeEach(() => {
  desk = new FakeDesk()
  desk.apps = [claude, { ...claude, client: 'zed', name: 'Zed', found: false }]
  desk.clientFiles = [file('notes', '/home/mio/.claude.json', false), file('hooks', '/home/mio/.claude/settings.json', true), { ...file('other', '/x', false), name: 'Cursor' }]
  onPanel = vi.fn()
})

const show = () => renderAt(desk, <FoundApps onPanel={onPanel} />)
const ticks = (app: string) => within(screen.getByRole('list', { name: `How far ${app} came` })).getAllByRole('listitem').map((item) => item.textContent)

describe('the apps that were found', () => {
  it('say in short what they may do unasked, and folded why', async () => {
    show()
    const part = await screen.findByRole('region', { name: 'Found on desk-host' })
    expect(part.textContent).toContain('Without asking the desk it can today: run commands, change files, and call MCP servers past the desk')
    const why = screen.getByText('Why (1 reason)').closest('details')
    expect(why?.open).toBe(false)
    expect(why?.textContent).toContain('nothing makes it ask yet')
    expect(within(part).queryByText('Zed')).toBeNull()
    expect(screen.queryByRole('list', { name: /How far/ })).toBeNull() // nothing was begun
  })

  it('are of this computer in the window, which runs on it', async () => {
    desk.info = () => Promise.resolve({ version: '1', face: 'window', canOperate: true, agentsUrl: '' })
    show()
    await screen.findByRole('region', { name: 'Found on this computer' })
  })

  it('say that there are none, that nothing can be connected, and what is not known otherwise', async () => {
    desk.apps = [{ ...claude, found: false }]
    const { unmount } = show()
    await screen.findByText(/^No app that the desk knows was found/)
    unmount()
    desk.apps = [{ ...claude, unasked: ['trust_unread'] }, { ...claude, client: 'zed', name: 'Zed', unasked: [] }]
    show()
    await screen.findByText(/whatever it likes with its own tools/)
    expect(screen.queryByText(/^Why/)).toBeNull()
    expect(screen.getByText('By its files, it asks the desk about all that it does.')).toBeTruthy()
    expect(screen.getByText(/^Nothing in its files can be connected/)).toBeTruthy()
  })

  it('name the files that cannot be read, and why', async () => {
    desk.clientFiles = [file('notes', '/home/mio/.claude.json', false), { ...file('hooks', '/home/mio/.claude/settings.json', true), state: 'broken', error: 'line 1, column 3', move: null }]
    show()
    const part = await screen.findByRole('region', { name: 'Found on desk-host' })
    expect(part.textContent).toContain('/home/mio/.claude/settings.json: line 1, column 3')
    expect(part.textContent).not.toContain('/home/mio/.claude.json')
  })

  it('are connected whole by one yes, by the keyboard alone, and the focus goes along', async () => {
    show()
    const button = await screen.findByRole('button', { name: 'Connect Claude Code…' })
    button.focus()
    await userEvent.keyboard('{Enter}')
    const panel = screen.getByRole('region', { name: 'What connecting Claude Code changes' })
    expect(document.activeElement?.textContent).toBe('What connecting Claude Code changes')
    expect(onPanel).toHaveBeenLastCalledWith(true)
    for (const words of ['/home/mio/.claude.json', 'line of notes', '/home/mio/.claude/settings.json', 'line of hooks']) expect(panel.textContent).toContain(words)
    expect(panel.textContent).not.toContain('/x')
    within(panel).getByRole('button', { name: 'Cancel' }).focus()
    await userEvent.keyboard('{Enter}')
    expect(document.activeElement).toBe(button)
    expect(onPanel).toHaveBeenLastCalledWith(false)
    expect(desk.written).toEqual([])
    await userEvent.keyboard('{Enter}')
    screen.getByRole('button', { name: 'Connect Claude Code' }).focus()
    await userEvent.keyboard('{Enter}')
    await screen.findByText(/^1 tool server of Claude Code is behind the desk now/)
    expect(screen.getByText('Claude Code asks the desk about its own tools once it is started anew.')).toBeTruthy()
    expect(document.activeElement?.textContent).toContain('1 tool server of Claude Code')
    expect(desk.written).toEqual([{ id: 'notes', shown: 'seal-notes' }, { id: 'hooks', shown: 'seal-hooks' }])
    expect(onPanel).toHaveBeenLastCalledWith(false)
  })

  it('leave out a file that cannot be used, and say so before the yes', async () => {
    desk.clientFiles = [file('notes', '/home/mio/.claude.json', false), { ...file('hooks', '/home/mio/.claude/settings.json', true), state: 'broken', error: 'line 1, column 3', entries: [], move: null }]
    show()
    fireEvent.click(await screen.findByRole('button', { name: 'Connect Claude Code…' }))
    const panel = screen.getByRole('region', { name: 'What connecting Claude Code changes' })
    expect(panel.textContent).toContain('This file cannot be used, and is left out: /home/mio/.claude/settings.json: line 1, column 3.')
  })

  it('are put off by Escape, and the focus goes back', async () => {
    show()
    const button = await screen.findByRole('button', { name: 'Connect Claude Code…' })
    button.focus()
    await userEvent.keyboard('{Enter}')
    screen.getByRole('region', { name: 'What connecting Claude Code changes' })
    await userEvent.keyboard('{Escape}')
    expect(screen.queryByRole('region', { name: 'What connecting Claude Code changes' })).toBeNull()
    expect(document.activeElement).toBe(button)
    expect(onPanel).toHaveBeenLastCalledWith(false)
    expect(desk.written).toEqual([])
  })

  it('write nothing when the first file is another by now, and show both as they are', async () => {
    show()
    fireEvent.click(await screen.findByRole('button', { name: 'Connect Claude Code…' }))
    const move = { shown: 'seal-9', difference: { added: 1, removed: 0, lines: [line('new words')], more: 0, cut: false } }
    desk.clientFiles = desk.clientFiles.map((old) => (old.id === 'notes' ? { ...old, move } : old))
    fireEvent.click(screen.getByRole('button', { name: 'Connect Claude Code' }))
    await screen.findByText('The file changed meanwhile, and nothing was written. This is how it is now.')
    expect(screen.getByText('new words')).toBeTruthy()
    expect(screen.getByText('line of hooks')).toBeTruthy()
    expect(desk.written).toEqual([])
  })

  it('tell what was written where the next file was not, and offer the rest', async () => {
    show()
    fireEvent.click(await screen.findByRole('button', { name: 'Connect Claude Code…' }))
    const connect = desk.connectClient.bind(desk)
    desk.connectClient = (id, shown, choice) => {
      if (id === 'hooks') return Promise.reject(new DeskError({ code: 'stale', message: '' }))
      desk.apps = [{ ...claude, wired: true }]
      return connect(id, shown, choice)
    }
    fireEvent.click(screen.getByRole('button', { name: 'Connect Claude Code' }))
    await screen.findByText('One of its files changed meanwhile, and was not written.')
    expect(screen.getByText(/^1 tool server of Claude Code is behind the desk now/)).toBeTruthy()
    expect(desk.written).toEqual([{ id: 'notes', shown: 'seal-notes' }])
    await screen.findByRole('button', { name: 'Connect the rest of Claude Code…' })
  })
})

describe('an app that is connected', () => {
  const now = (part: Partial<ClientApp>) => {
    act(() => {
      desk.apps = [{ ...claude, wired: true, ...part }]
      desk.hint('call.created')
    })
  }

  it('ticks a step when that very thing happened, by the desk’s events', async () => {
    desk.eventsNow = true
    desk.apps = [{ ...claude, wired: true }]
    show()
    await screen.findByText(/^Leave Claude Code with \/exit and start it again\./)
    expect(ticks('Claude Code')).toEqual(['Found done', 'Connected done', 'Spoke to the desk', 'First call came'])
    act(() => {
      desk.apps = [{ ...claude, wired: true, spoken: true }]
      desk.hint('agents.arrived')
    })
    await screen.findByText(/^Claude Code is at the desk\. Ask it for something/)
    expect(ticks('Claude Code')).toEqual(['Found done', 'Connected done', 'Spoke to the desk done', 'First call came'])
    now({ spoken: true, firstAt: '2026-01-01T00:00:00Z' })
    await screen.findByText('The first call of Claude Code came.')
    await waitFor(() => {
      expect(ticks('Claude Code')).toEqual(['Found done', 'Connected done', 'Spoke to the desk done', 'First call came done'])
    })
    expect(screen.getByText('The first call of Claude Code came.').closest('[role=status]')).toBeTruthy()
  })

  it.each([
    ['codex', 'Codex', 'Say /hooks in it, and trust the two of sekisho.'],
    ['vscode', 'VS Code', 'Run “Developer: Reload Window” in VS Code'],
    ['claude-desktop', 'Claude Desktop', 'closing its window is not enough'],
    ['of a later desk', 'New App', 'Quit New App and start it again.'],
  ])('names the restart that it needs: %s', async (client, name, words) => {
    desk.apps = [{ ...claude, client, name, wired: true }]
    show()
    expect((await screen.findByText(/This waits for its first call\.$/)).textContent).toContain(words)
  })
})
