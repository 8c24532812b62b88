import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { DeskError } from '../../desk/desk-error'
import { FakeDesk } from '../../desk/fake-desk'
import type { ClientBack, ClientFile, ClientProof, DiffLine } from '../../desk/types'
import { renderAt } from '../../test/render'
import { Apps } from './apps'

const line = (kind: DiffLine['kind'], text: string): DiffLine => ({ kind, text, old: 1, new: 1, count: 0, ending: '' })
const difference = (text: string) => ({ added: 1, removed: 0, lines: [line('added', text)], more: 0, cut: false })

const missing = { missesLikely: [], missesOthers: [], limit: '' }

const cursor: ClientFile = {
  id: 'cursor-1',
  name: 'Cursor',
  path: '/home/mio/.cursor/mcp.json',
  state: 'direct',
  error: '',
  entries: [
    { key: 'notes', folder: '', state: 'direct', off: false, reason: '', why: null, hook: false, ...missing, serverId: 'notes' },
    { key: 'old\u200b', folder: '/srv/shop', state: 'left', off: false, reason: 'it speaks SSE', why: null, hook: false, ...missing, serverId: '' },
  ],
  move: { shown: 'seal-1', difference: difference('"command": "/usr/bin/sekisho"') },
  back: null,
}
const back: ClientBack = { shown: 'seal-2', error: '', why: null, exact: true, gone: false, forced: false, entries: [], others: 0, copies: [], theirs: difference('theirs'), difference: difference('as it was') }
const connected: ClientFile = { ...cursor, state: 'behind', move: null, back }

let desk: FakeDesk

beforeEach(() => {
  desk = new FakeDesk()
  desk.clientFiles = [cursor]
})

const open = async (name: string) => {
  fireEvent.click(await screen.findByRole('button', { name }))
}
const press = (name: string) => {
  fireEvent.click(screen.getByRole('button', { name }))
}

describe('the apps on the desk’s machine', () => {
  it('says whose files they are, and where each entry stands', async () => {
    renderAt(desk, <Apps />)
    const part = await screen.findByRole('region', { name: 'Apps on desk-host' })
    expect(part.textContent).toContain('The files are those of desk-host, the computer where this desk runs.')
    expect(part.textContent).toContain('Not connected')
    press('2 tool servers')
    expect(part.textContent).toContain('notes: reached directly; on the desk it would be notes')
    expect(part.textContent).toContain('⟦U+200B⟧ in /srv/shop: stays as it is: it speaks SSE')
  })

  it('says in words of its own why an entry stays, and that one is off', async () => {
    const why = (code: string) => ({ code, field: 'env', name: 'K\u200b', value: '${K}' })
    const left = { key: 'l', folder: '', state: 'left' as const, off: false, reason: 'in the desk’s words', hook: false, ...missing, serverId: '' }
    desk.clientFiles = [
      { ...cursor, entries: [{ ...left, key: 'a', why: why('value_null') }, { ...left, key: 'b', why: why('variable_unset') }, { ...left, key: 'c', why: why('of a later desk') }, { ...left, key: 'd', state: 'direct', off: true, why: null, serverId: 'd' }] },
    ]
    renderAt(desk, <Apps />)
    await open('4 tool servers')
    const said = screen.getAllByRole('listitem').map((item) => item.textContent)
    expect(said.slice(1)).toEqual([
      'a: stays as it is: K⟦U+200B⟧ of its env is null, which the desk cannot pass on',
      'b: stays as it is: it uses ${K}, which is not set here',
      'c: stays as it is: in the desk’s words',
      'd: reached directly, and off; on the desk it would be d, and off too',
    ])
  })

  it('asks about an app’s own tools too unless a person says no, and says what came of it', async () => {
    const hook = { key: 'hooks', folder: '', state: 'direct' as const, off: false, reason: '', why: null, hook: true, ...missing, serverId: '' }
    desk.clientFiles = [cursor, { ...cursor, id: 'codex-2', name: 'Codex', path: '/home/mio/.codex/hooks.json', entries: [hook] }]
    renderAt(desk, <Apps />)
    await screen.findByText('The desk is not asked about its own tools.')
    const box = screen.getByRole<HTMLInputElement>('checkbox', { name: 'Ask about the apps’ own tools too' })
    expect(box.checked).toBe(true)
    fireEvent.click(box)
    await waitFor(() => expect(screen.queryByText('Codex')).toBeNull())
    await screen.findByText('Cursor')
    fireEvent.click(box)
    await open('Connect Codex’s own tools…')
    expect(screen.getByRole('region', { name: /^What connecting Codex changes/ }).textContent).toContain('say /hooks')
    expect(screen.queryByText(/servers are started once before/)).toBeNull()
    press('Connect Codex')
    await screen.findByText('Codex asks the desk about its own tools once it is started anew.')
    await screen.findByText('The desk is asked about its own tools.')
    expect(document.body.textContent).not.toContain('0 tool servers')
  })

  it('connects a file that lets tools pass only after the one with the hooks', async () => {
    const hook = { key: 'hooks', folder: '', state: 'direct' as const, off: false, reason: '', why: null, hook: true, ...missing, serverId: '' }
    const settings = { ...cursor, id: 'gemini-1', name: 'Gemini CLI', path: '/home/mio/.gemini/settings.json', entries: [hook] }
    desk.clientFiles = [settings, { ...settings, id: 'gemini-2', path: '/home/mio/.gemini/policies/sekisho.toml' }]
    renderAt(desk, <Apps />)
    expect(await screen.findAllByRole('button', { name: 'Connect Gemini CLI’s own tools…' })).toHaveLength(1)
    expect(screen.getByText(/it is written once the hooks in/).textContent).toContain('/home/mio/.gemini/settings.json')
  })

  it('checks an app that asks about its own tools, once for all its files, and says why it is not closed', async () => {
    const hook = { key: 'hooks', folder: '', state: 'behind' as const, off: false, reason: '', why: null, hook: true, ...missing, serverId: '' }
    const codex = { ...connected, id: 'codex-2', name: 'Codex', path: '/home/mio/.codex/hooks.json', entries: [hook] }
    desk.clientFiles = [cursor, codex, { ...codex, id: 'codex-3', path: '/home/mio/.codex/policy' }]
    renderAt(desk, <Apps />)
    await open('Check whether Codex asks the desk')
    const said = await screen.findByText('Codex asked the desk, and did not run what the desk refused.')
    expect(said.textContent).toContain('Closed')
    expect(said.closest('[role=status]')).toBeTruthy()
    desk.checkNow = {
      name: 'Codex',
      state: 'open',
      reasons: [
        { code: 'untrusted_hook', path: '/home/mio/.codex/hooks.json', detail: 'PreToolUse: modi\u200bfied', repair: 'run /hooks' },
        { code: 'of a later desk', path: '', detail: '', repair: 'look for it' },
      ],
    }
    press('Check whether Codex asks the desk')
    await screen.findByText('A tool of Codex may run without the desk.')
    const faults = within(screen.getByRole('status')).getAllByRole('listitem').map((item) => item.textContent)
    expect(faults[0]).toContain('Run /hooks in Codex and trust those of sekisho.')
    expect(faults[0]).toContain('/home/mio/.codex/hooks.json')
    expect(faults[0]).toContain('modi⟦U+200B⟧fied')
    expect(faults[1]).toBe('of a later desk: look for it')
    desk.checkNow = { name: 'Codex', state: 'not_proved', reasons: [{ code: 'client_not_run', path: '', detail: '', repair: '' }] }
    press('Check whether Codex asks the desk')
    await screen.findByText('Nothing is known against Codex, but not everything was seen.')
    expect(screen.getByText('Not proved')).toBeTruthy()
  })

  it('says that a check is under way, and why there was none', async () => {
    const hook = { key: 'hooks', folder: '', state: 'behind' as const, off: false, reason: '', why: null, hook: true, ...missing, serverId: '' }
    desk.clientFiles = [{ ...connected, name: 'Codex', entries: [hook] }]
    let fail: (why: unknown) => void = () => undefined
    desk.checkClient = () => new Promise((_, reject) => (fail = reject))
    renderAt(desk, <Apps />)
    const about = 'It starts Codex with its own settings: its other hooks and its servers start, too.'
    await screen.findByText(about)
    await open('Check whether Codex asks the desk')
    expect(screen.queryByText(about)).toBeNull()
    await screen.findByText('Checking Codex… This takes some minutes at most.')
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Check whether Codex asks the desk' }).disabled).toBe(true)
    fail(new DeskError({ code: 'not_read', message: 'no home folder' }))
    expect((await screen.findByRole('alert')).textContent).toContain('no home folder')
  })

  it('is of this computer in the window, which runs on it', async () => {
    desk.info = () => Promise.resolve({ version: '1', face: 'window', canOperate: true, agentsUrl: '' })
    renderAt(desk, <Apps />)
    await screen.findByRole('region', { name: 'Apps on this computer' })
  })

  it('shows the difference first, writes on a yes to it, and says what to do next', async () => {
    renderAt(desk, <Apps />)
    await open('Connect Cursor…')
    const panel = screen.getByRole('region', { name: /^What connecting Cursor changes/ })
    expect(within(panel).getByText('"command": "/usr/bin/sekisho"')).toBeTruthy()
    expect(within(panel).getByText('Cursor’s servers are started once before the file is written and once afterwards, to compare their tools.')).toBeTruthy()
    expect(document.activeElement?.textContent).toBe('What connecting Cursor changes')
    expect(desk.written).toEqual([])
    press('Connect Cursor')
    await screen.findByText('1 tool server of Cursor is behind the desk now. Restart Cursor to use it.')
    expect(desk.written).toEqual([{ id: 'cursor-1', shown: 'seal-1' }])
    await screen.findByRole('button', { name: 'Disconnect Cursor…' })
    expect(screen.queryByRole('button', { name: 'Connect Cursor…' })).toBeNull()
    expect(document.activeElement).not.toBe(document.body)
    expect(document.activeElement?.textContent).toContain('Restart Cursor')
  })

  it('offers the variables that servers would miss, shows what is written with them, and connects with them', async () => {
    const entries = cursor.entries.map((e) => ({ ...e, missesLikely: ['GITHUB_TOKEN\u200b', 'AWS_PROFILE'], missesOthers: ['EDITOR', 'AWS_PROFILE'], limit: 'tool_timeout_sec' }))
    desk.clientFiles = [{ ...cursor, entries }]
    let asked: unknown[] = []
    desk.tryClient = (...all) => ((asked = all), Promise.resolve([]))
    renderAt(desk, <Apps />)
    await open('Connect Cursor…')
    const group = screen.getByRole('group', { name: 'Variables that its servers would miss' })
    const boxes = () => within(group).getAllByRole('checkbox').map((box) => box.closest('label')?.textContent)
    expect(boxes()).toEqual(['GITHUB_TOKEN⟦U+200B⟧', 'AWS_PROFILE'])
    const chosen = (name: string | RegExp, checked: boolean) =>
      waitFor(() => {
        const box = screen.getByRole<HTMLInputElement>('checkbox', { name })
        expect([box.checked, box.disabled]).toEqual([checked, false]) // the desk has answered
      })
    press('1 other')
    expect(boxes()).toEqual(['GITHUB_TOKEN⟦U+200B⟧', 'AWS_PROFILE', 'EDITOR'])
    fireEvent.click(within(group).getByRole('checkbox', { name: 'EDITOR' }))
    await chosen('EDITOR', true)
    fireEvent.click(within(group).getByRole('checkbox', { name: 'AWS_PROFILE' }))
    await chosen('AWS_PROFILE', true)
    fireEvent.click(within(group).getByRole('checkbox', { name: 'EDITOR' }))
    await chosen('EDITOR', false)
    fireEvent.click(screen.getByRole('checkbox', { name: /raise its limit too \(tool_timeout_sec\)/ }))
    await chosen(/tool_timeout_sec/, true)
    press('Connect Cursor')
    await screen.findByText(/1 tool server of Cursor is behind the desk now/)
    expect(desk.written).toEqual([{ id: 'cursor-1', shown: 'seal-1 AWS_PROFILE limits' }])
    expect(asked).toEqual(['cursor-1', 'seal-1 AWS_PROFILE limits', { hooks: true, carry: ['AWS_PROFILE'], limits: true }])
  })

  it('keeps a choice as it was when what would be written with it is not to be had', async () => {
    desk.clientFiles = [{ ...cursor, entries: cursor.entries.map((e) => ({ ...e, missesLikely: ['A_TOKEN'] })) }]
    renderAt(desk, <Apps />)
    await open('Connect Cursor…')
    desk.failures.set('clients', new DeskError({ code: 'not_read', message: 'no home folder' }))
    fireEvent.click(screen.getByRole('checkbox', { name: 'A_TOKEN' }))
    expect((await screen.findByRole('alert')).textContent).toContain('no home folder')
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'A_TOKEN' }).checked).toBe(false)
  })

  it('shows a choice at once, and takes it back when the desk refuses it', async () => {
    desk.clientFiles = [{ ...cursor, entries: cursor.entries.map((e) => ({ ...e, missesLikely: ['A_TOKEN'] })) }]
    renderAt(desk, <Apps />)
    await open('Connect Cursor…')
    let refuse: (why: unknown) => void = () => undefined
    desk.clients = () => new Promise((_, reject) => (refuse = reject))
    const box = screen.getByRole<HTMLInputElement>('checkbox', { name: 'A_TOKEN' })
    fireEvent.click(box)
    expect(box.checked).toBe(true)
    expect(box.disabled).toBe(true)
    refuse(new DeskError({ code: 'not_read', message: 'no home folder' }))
    await screen.findByText(/no home folder/)
    await waitFor(() => expect(box.checked).toBe(false))
  })

  it('has the servers started before and after, says so meanwhile, and what came of it', async () => {
    let tried: () => void = () => undefined
    let proved: (proofs: ClientProof[]) => void = () => undefined
    desk.tryClient = () => new Promise((resolve) => (tried = () => resolve([])))
    desk.proveClient = () => new Promise((resolve) => (proved = resolve))
    renderAt(desk, <Apps />)
    await open('Connect Cursor…')
    press('Connect Cursor')
    const panel = screen.getByRole('region', { name: /^What connecting Cursor changes/ })
    await within(panel).findByText('Starting its servers as Cursor does…')
    expect(desk.written).toEqual([])
    tried()
    await within(panel).findByText('Starting them through the desk, to compare their tools…')
    expect(desk.written).toEqual([{ id: 'cursor-1', shown: 'seal-1' }])
    const proof = { error: '', tools: 11, seconds: 0.8123, missing: [], added: [], changed: [] }
    proved([
      { ...proof, key: 'same', serverId: 'same', state: 'same' },
      { ...proof, key: 'odd', serverId: 'odd', state: 'different', missing: ['a\u200b', 'b'], changed: ['c'] },
      { ...proof, key: 'lost', serverId: 'lost', state: 'lost', error: 'it ended: no token' },
    ])
    await screen.findByText('1 tool server of Cursor is behind the desk now. Restart Cursor to use it.')
    const said = within(screen.getByRole('status')).getAllByRole('listitem').map((item) => item.textContent)
    expect(said).toEqual([
      'same: 11 tools, starts in 0.8 s, the same behind the desk',
      'odd: 11 tools, starts in 0.8 s, other tools behind the deskMissing: a⟦U+200B⟧, bDefined otherwise: c',
      'lost: starts directly, and not behind the desk: it ended: no token',
    ])
    expect(screen.getByText('Nothing was undone. Disconnect the app to put its file back.')).toBeTruthy()
  })

  it('names servers that do not start even without the desk, and connects them on a second yes only', async () => {
    const trial = { serverId: 'notes', tools: 0, seconds: 1, key: 'no\u200btes', error: 'exit 7: why' }
    desk.trials = [{ ...trial, key: 'fine', serverId: 'fine', error: '' }, trial]
    renderAt(desk, <Apps />)
    await open('Connect Cursor…')
    press('Connect Cursor')
    const alert = await screen.findByText('These do not start even without the desk:')
    expect(alert.closest('[role=alert]')?.textContent).toContain('no⟦U+200B⟧tes: exit 7: why')
    expect(alert.closest('[role=alert]')?.textContent).not.toContain('fine')
    expect(desk.written).toEqual([])
    press('Connect Cursor all the same')
    await screen.findByText('1 tool server of Cursor is behind the desk now. Restart Cursor to use it.')
  })

  it('starts nothing for hooks alone or what is off, and says when nothing was proved', async () => {
    desk.failures.set('tryClient', new DeskError({ code: 'not_read', message: 'not to be called' }))
    desk.clientFiles = [{ ...cursor, entries: cursor.entries.map((e) => ({ ...e, off: true })) }]
    const { unmount } = renderAt(desk, <Apps />)
    await open('Connect Cursor…')
    press('Connect Cursor')
    await screen.findByText(/behind the desk now/)
    unmount()
    desk.clientFiles = [cursor]
    desk.failures.clear()
    desk.failures.set('proveClient', new DeskError({ code: 'not_found', message: 'it was not tried' }))
    renderAt(desk, <Apps />)
    await open('Connect Cursor…')
    press('Connect Cursor')
    await screen.findByText('Whether its servers are the same behind the desk was not seen.')
  })

  it('cancels without a trace, and gives the focus back', async () => {
    renderAt(desk, <Apps />)
    await open('Connect Cursor…')
    press('Cancel')
    expect(screen.queryByRole('region', { name: /changes/ })).toBeNull()
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Connect Cursor…' }))
    expect(desk.written).toEqual([])
  })

  it('writes nothing when the file is another by now, and shows how it is', async () => {
    renderAt(desk, <Apps />)
    await open('Connect Cursor…')
    desk.clientFiles = [{ ...cursor, move: { shown: 'seal-9', difference: difference('new words') } }]
    press('Connect Cursor')
    await screen.findByText('The file changed meanwhile, and nothing was written. This is how it is now.')
    expect(screen.getByText('new words')).toBeTruthy()
    expect(desk.written).toEqual([])
    press('Connect Cursor')
    await waitFor(() => {
      expect(desk.written).toEqual([{ id: 'cursor-1', shown: 'seal-9' }])
    })
  })

  it('does not change what is shown under a person’s eyes', async () => {
    renderAt(desk, <Apps />)
    await open('Connect Cursor…')
    desk.clientFiles = [{ ...cursor, entries: [], move: { shown: 'seal-9', difference: difference('new words') } }]
    desk.hint('servers.changed')
    await waitFor(() => {
      expect(screen.queryByText('2 tool servers')).toBeNull()
    })
    expect(screen.getByText('"command": "/usr/bin/sekisho"')).toBeTruthy()
    expect(screen.queryByText('new words')).toBeNull()
  })

  it('says what went wrong, in the desk’s words where there are no others', async () => {
    desk.failures.set('connectClient', new DeskError({ code: 'not_written', message: 'permission denied' }))
    renderAt(desk, <Apps />)
    await open('Connect Cursor…')
    press('Connect Cursor')
    const alert = await screen.findByRole('alert')
    expect(alert.textContent).toBe('The desk says: permission denied')
  })

  it.each([
    ['servers[3].env', 'newer', 'of a later desk'],
    ['servers[3].headers.Host', 'header_reserved', 'The desk writes the header Host itself.'],
    ['servers[3].env.K\u200b', 'masked_unknown', 'K⟦U+200B⟧ is ********, but no value is kept under this name.'],
  ])('names what the desk did not take: %j', async (field, code, words) => {
    desk.connectClient = () => Promise.resolve({ moved: 0, hooks: false, left: [{ key: 'notes', code, params: {}, field, reason: 'of a later desk' }] })
    renderAt(desk, <Apps />)
    await open('Connect Cursor…')
    press('Connect Cursor')
    const said = await screen.findByText(/stays as it is, because the desk does not take it/)
    expect(said.textContent).toBe(`notes stays as it is, because the desk does not take it: ${words}`)
    expect(document.body.textContent).not.toContain('behind the desk now')
  })

  it('cannot connect anything without the program', async () => {
    desk.clients = () => Promise.resolve({ machine: 'desk-host', program: '', files: [{ ...cursor, move: null }], apps: [], leftovers: [] })
    renderAt(desk, <Apps />)
    await screen.findByText(/was not found beside the desk/)
    expect(screen.queryByRole('button', { name: /^Connect/ })).toBeNull()
  })

  it('says that there are none, and why a file is of no use', async () => {
    desk.clientFiles = []
    const { unmount } = renderAt(desk, <Apps />)
    await screen.findByText(/^No file of an app/)
    unmount()
    desk.clientFiles = [{ ...cursor, state: 'broken', error: 'this file is empty', entries: [], move: null }]
    renderAt(desk, <Apps />)
    await screen.findByText('this file is empty')
    expect(screen.getByText('File cannot be used')).toBeTruthy()
  })
})

describe('an app that is connected', () => {
  const why = (code: string) => ({ code, field: 'ar\u200bgs', name: 'mine', value: '/kept/before' })

  it('is put back as it was', async () => {
    desk.clientFiles = [connected]
    renderAt(desk, <Apps />)
    await open('Disconnect Cursor…')
    expect(screen.getByText(/as it was before, byte for byte/)).toBeTruthy()
    press('Put Cursor back')
    await screen.findByText('The file of Cursor is put back. Restart Cursor to use it.')
    expect(desk.written).toEqual([{ id: 'cursor-1', shown: 'seal-2', force: false }])
  })

  it('shows both sides when it was changed since', async () => {
    const entries = [{ key: 'gone', outcome: 'gone' as const, reason: '', why: null }, { key: 'notes', outcome: 'back' as const, reason: '', why: null }]
    desk.clientFiles = [{ ...connected, back: { ...back, exact: false, entries, others: 2, copies: ['/kept/before'] } }]
    renderAt(desk, <Apps />)
    await screen.findByText('Changed since')
    await open('Disconnect Cursor…')
    const { textContent } = screen.getByRole('region', { name: /^What disconnecting Cursor changes/ })
    for (const words of ['These changes stay', 'theirs', 'as it was', 'gone: was taken out since', 'notes: is put back', '2 lines outside', 'stays in /kept/before']) expect(textContent).toContain(words)
    press('Put Cursor back')
    await waitFor(() => {
      expect(desk.written).toEqual([{ id: 'cursor-1', shown: 'seal-2', force: false }])
    })
  })

  it.each([
    ['its own part was changed', { entries: [{ key: 'notes', outcome: 'conflict' as const, reason: 'in the desk’s words', why: why('field_changed') }] }, 'notes: its ar⟦U+200B⟧gs was changed since'],
    ['it is another by now, in a later desk’s words', { entries: [{ key: 'notes', outcome: 'conflict' as const, reason: 'in the desk’s words', why: why('of a later desk') }] }, 'notes: in the desk’s words'],
    ['the file is gone', { gone: true }, 'It would be written anew'],
  ])('takes a plain word to be put back when %s', async (_, more, words) => {
    desk.clientFiles = [{ ...connected, back: { ...back, exact: false, forced: true, ...more } }]
    renderAt(desk, <Apps />)
    await open('Disconnect Cursor…')
    expect(document.body.textContent).toContain(words)
    press('Put Cursor back all the same')
    await waitFor(() => {
      expect(desk.written).toEqual([{ id: 'cursor-1', shown: 'seal-2', force: true }])
    })
  })

  it.each([
    ['in the desk’s words', null, 'the kept copy was changed'],
    ['in words of its own', why('back_by_hand'), 'put its entries back by hand, from the copy /kept/before'],
  ])('offers nothing when it cannot be put back, and says so %s', async (_, said, words) => {
    desk.clientFiles = [{ ...connected, back: { ...back, shown: '', exact: false, error: 'the kept copy was changed', why: said } }]
    renderAt(desk, <Apps />)
    await open('Disconnect Cursor…')
    expect(document.body.textContent).toContain(`It cannot be put back: ${words}`)
    expect(screen.queryByRole('button', { name: /^Put/ })).toBeNull()
    press('Close')
    expect(screen.queryByRole('region', { name: /changes/ })).toBeNull()
  })

  it('is over when nothing is left to do meanwhile', async () => {
    desk.clientFiles = [connected]
    renderAt(desk, <Apps />)
    await open('Disconnect Cursor…')
    desk.clientFiles = []
    press('Put Cursor back')
    const alert = await screen.findByRole('alert')
    expect(alert.textContent).toBe('This no longer exists.')
  })
})

describe('servers that apps left on the desk', () => {
  beforeEach(() => {
    desk.leftovers = ['notes', 'old\u200b']
  })
  const ask = async () => {
    renderAt(desk, <Apps />)
    await open('Remove… 2 servers of apps that are no longer connected')
    return within(screen.getByRole('alertdialog'))
  }

  it('are named, and removed after a yes to their names', async () => {
    const dialog = await ask()
    expect(document.body.textContent).toContain('2 servers came to the desk from apps that are no longer connected')
    expect(dialog.getAllByRole('listitem').map((item) => item.textContent)).toEqual(['notes', 'old⟦U+200B⟧'])
    expect(desk.leftovers).toHaveLength(2)
    fireEvent.click(dialog.getByRole('button', { name: 'Remove from the desk' }))
    await screen.findByText('2 servers are removed from the desk.')
    expect(desk.leftovers).toEqual([])
    await waitFor(() => {
      expect(screen.queryByText(/came to the desk/)).toBeNull()
    })
    expect(screen.queryByRole('alertdialog')).toBeNull()
  })

  it('leave no dialog over the outcome when others came meanwhile', async () => {
    const dialog = await ask()
    desk.leftovers = [...desk.leftovers, 'later']
    fireEvent.click(dialog.getByRole('button', { name: 'Remove from the desk' }))
    const said = await screen.findByText('2 servers are removed from the desk.')
    await screen.findByText(/^1 server came to the desk .* No app file that the desk knows uses it\.$/)
    expect(screen.queryByRole('alertdialog')).toBeNull()
    expect(said.closest('[tabindex]')).toBe(document.activeElement)
  })

  it('stay, all of them, when one is in use again', async () => {
    const dialog = await ask()
    desk.leftovers = ['notes']
    fireEvent.click(dialog.getByRole('button', { name: 'Remove from the desk' }))
    expect((await dialog.findByRole('alert')).textContent).toContain('Nothing was removed')
    expect(desk.leftovers).toEqual(['notes'])
    fireEvent.click(dialog.getByRole('button', { name: 'Cancel' }))
    await screen.findByText(/^1 server came to the desk/)
  })
})
