import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import axe from 'axe-core'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { DeskError } from '../../desk/desk-error'
import { FakeDesk } from '../../desk/fake-desk'
import type { Server, TextLook, ToolLook } from '../../desk/types'
import { renderAt } from '../../test/render'
import { say } from '../../test/words'
import { ServersScreen } from './servers-screen'

const line = { old: 0, new: 1, count: 0, ending: '' } as const
const text = (before: string, after: string, words: string): TextLook => ({
  before,
  after,
  cut: false,
  added: 1,
  removed: 0,
  more: 0,
  lines: [{ ...line, kind: 'added', text: words }],
})
const launch = text('l1', 'l2', '--all')
const look = (toolName: string, part: Partial<ToolLook> = {}): ToolLook => ({
  serverId: 'fs',
  toolName,
  changed: 'launch',
  back: false,
  definition: null,
  launch,
  shown: { definition: `${toolName} is`, launch: 'l2', back: false },
  ...part,
})
const looks = [
  look('read\u200b', { changed: 'both', definition: text('r1', 'r2', '"Sends it a\u202eway."') }),
  look('write'),
  look('list', { launch: text('l0', 'l2', '--some'), changed: 'launch' }),
]
const serverOf = (names: string[]): Server => ({
  id: 'fs',
  transport: 'stdio',
  command: 'npx',
  args: [],
  env: {},
  cwd: '',
  url: '',
  headers: {},
  enabled: true,
  state: 'running',
  tools: [],
  changedTools: names,
})

let desk: FakeDesk

beforeEach(() => {
  desk = new FakeDesk()
  desk.serverList = [serverOf(looks.map(({ toolName }) => toolName))]
  desk.toolLooks = looks
})

const open = async () => {
  renderAt(desk, <ServersScreen />)
  fireEvent.click(await screen.findByRole('button', { name: 'Accept all 3 changed tools of fs…' }))
  await screen.findByText('--all')
}
const press = (name: string) => {
  fireEvent.click(screen.getByRole('button', { name }))
}
const panel = () => screen.getByRole('region', { name: /^What changed in/ })

describe('all changed tools of a server', () => {
  it('are shown in one place, the launch once for those that share it, and accepted as they were shown', async () => {
    const accept = vi.spyOn(desk, 'acceptTools')
    await open()
    expect(document.activeElement?.textContent).toBe('What changed in 3 tools of fs')
    const words = panel().textContent
    for (const part of ['⟦U+200B⟧', '⟦U+202E⟧', '--some', 'What it says of itself did not change.']) expect(words).toContain(part)
    expect(words.split('--all')).toHaveLength(2)
    expect(within(panel()).getAllByRole('listitem').filter((item) => item.querySelector('h3'))).toHaveLength(3)
    expect(accept).not.toHaveBeenCalled()
    press('I have seen it all: accept 3 tools')
    await waitFor(() => {
      expect(screen.queryByText('3 tools changed')).toBeNull()
    })
    expect(accept).toHaveBeenCalledWith('fs', looks)
    expect(document.activeElement?.textContent).toBe('3 tools are accepted as they are now.')
  })

  it('are none of them accepted when one is another by now: that one is marked, and shown as it is', async () => {
    await open()
    const other = look('write', {
      changed: 'both',
      definition: text('w1', 'w9', '"Writes elsewhere."'),
      shown: { definition: 'w9', launch: 'l2', back: false },
    })
    desk.toolLooks = looks.map((l) => (l.toolName === 'write' ? other : l))
    const accept = vi.spyOn(desk, 'acceptTools')
    press('I have seen it all: accept 3 tools')
    expect((await screen.findByRole('alert')).textContent).toContain('none was accepted')
    expect(screen.queryByText('"Writes elsewhere."')).toBeNull()
    press('I have seen it all: accept 3 tools') // in a hurry
    expect(accept).toHaveBeenCalledTimes(1)
    expect(document.activeElement?.textContent).toBe('Look again')
    press('Look again')
    await screen.findByText('"Writes elsewhere."')
    expect(screen.queryByRole('alert')).toBeNull()
    expect(document.activeElement?.textContent).toBe('What changed in 3 tools of fs')
    expect(screen.getByText('Changed again').closest('li')?.textContent).toContain('write')
    expect(desk.toolLooks).toHaveLength(3)
    press('I have seen it all: accept 3 tools')
    await screen.findByText('3 tools are accepted as they are now.')
    expect(desk.toolLooks).toEqual([])
  })

  it('stay as they were shown, not to be accepted, where looking again does not work', async () => {
    await open()
    desk.toolLooks = looks.map((l) =>
      l.toolName === 'write' ? { ...l, launch: text('l1', 'l9', '--other'), shown: { ...l.shown, launch: 'l9' } } : l,
    )
    press('I have seen it all: accept 3 tools')
    await screen.findByRole('alert')
    desk.failures.set('tool', new DeskError({ code: 'unavailable', message: 'closing' }))
    press('Look again')
    await screen.findByText('The desk is closing or busy. Try again.')
    expect(screen.getByText('--all')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'I have seen it all: accept 3 tools' })).toHaveProperty('disabled', true)
    desk.failures.clear()
    press('Look again')
    await screen.findByText('--other')
    expect(screen.getByRole('button', { name: 'I have seen it all: accept 3 tools' })).toHaveProperty('disabled', false)
  })

  it.each([
    ['a definition that was cut', { definition: { ...text('r1', 'r2', '"Sends it"'), cut: true } }],
    ['a definition with lines that are left out', { definition: { ...text('r1', 'r2', '"Sends it"'), more: 880 } }],
    ['a launch that was cut', { launch: { ...text('l1', 'l2', '--all'), cut: true } }],
    ['a launch with lines that are left out', { launch: { ...text('l1', 'l2', '--all'), more: 1 } }],
  ])('are accepted without one of %s, which is to be looked at by itself', async (_, part) => {
    desk.toolLooks = looks.map((l) => (l.toolName === 'write' ? { ...l, ...part } : l))
    await open()
    expect(document.activeElement?.textContent).toBe('What changed in 2 tools of fs')
    expect(screen.queryByText('"Sends it"')).toBeNull()
    expect(screen.getByText('Too long to be accepted with others: look at it by itself.').closest('li')?.textContent).toContain('write')
    press('I have seen it all: accept 2 tools')
    await screen.findByText('2 tools are accepted as they are now.')
    expect(desk.toolLooks.map(({ toolName }) => toolName)).toEqual(['write'])
    expect(await screen.findByRole('button', { name: 'Show what changed in write' })).toBeTruthy()
  })

  const folded = 'Part of this is folded. A tool that it is about is accepted here only once all of it has been shown.'
  const many = (n: number, words: string): TextLook => ({
    ...text('m1', words, ''),
    added: n,
    lines: Array.from({ length: n }, (_, i) => ({ ...line, new: i + 1, kind: 'added', text: `${words} ${String(i)}` })),
  })
  const withLong = (of: TextLook, ...places: number[]): TextLook => ({
    ...of,
    lines: of.lines.map((l, i) => (places.includes(i) ? { ...l, text: `${l.text} ${'x'.repeat(13_000)}` } : l)),
  })
  const openSome = async () => {
    renderAt(desk, <ServersScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'Accept all 3 changed tools of fs…' }))
    await screen.findByText('What changed in 3 tools of fs')
    await screen.findByText('"Sends it a', { exact: false })
  }
  // By their words alone: among thousands of lines a search by role takes seconds.
  const named = (element: string, words: string) => [...document.querySelectorAll(element)].filter(({ textContent }) => textContent === words)
  const pressIn = (words: string, nth = 0) => {
    fireEvent.click(named('button', words).at(nth) ?? expect.fail(`no ${words}`))
  }

  it.each([
    ['many lines', many(1001, 'said'), 1, 0],
    ['a long line', withLong(many(3, 'said'), 1), 1, 0],
    ['two long lines', withLong(many(3, 'said'), 0, 2), 2, 0],
    ['many lines, one of them long, in what is folded', withLong(many(1001, 'said'), 500), 2, 0],
    ['many lines, one of them long, before what is folded', withLong(many(1001, 'said'), 3), 2, 0],
    ['many lines, one of them long, after what is folded', withLong(many(1001, 'said'), 999), 2, -1],
  ])('are accepted without one whose definition is folded, because of %s, until all of it was shown', async (_, definition, times, nth) => {
    desk.toolLooks = looks.map((l) => (l.toolName === 'write' ? { ...l, changed: 'both', definition } : l))
    await openSome()
    const own = named('h3', 'write')[0]?.closest('li')
    for (let i = 0; i < times; i++) {
      expect(own?.textContent).toContain(folded)
      expect(named('button', 'I have seen it all: accept 2 tools')).toHaveLength(1)
      pressIn('Show all', nth)
    }
    expect(named('button', 'Show all')).toEqual([])
    expect(own?.textContent).not.toContain(folded)
    pressIn('I have seen it all: accept 3 tools')
    await screen.findByText('3 tools are accepted as they are now.')
    expect(desk.toolLooks).toEqual([])
  })

  it('are accepted without those whose launch is folded', async () => {
    desk.toolLooks = looks.map((l) => (l.toolName === 'list' ? l : { ...l, launch: many(1001, 'started') }))
    await openSome()
    expect(screen.getAllByText(folded)).toHaveLength(1)
    pressIn('I have seen it: accept 1 tool')
    await screen.findByText('1 tool is accepted as it is now.')
    expect(desk.toolLooks.map(({ toolName }) => toolName)).toEqual(
      looks.filter((l) => l.toolName !== 'list').map(({ toolName }) => toolName),
    )
  })

  it('have no button where all of them are folded, until one was shown', async () => {
    desk.toolLooks = looks.map((l) => ({ ...l, launch: null, definition: many(1001, `"Sends it a ${l.toolName}`) }))
    renderAt(desk, <ServersScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'Accept all 3 changed tools of fs…' }))
    expect(await screen.findAllByText(folded)).toHaveLength(3)
    expect([...document.querySelectorAll('button')].filter(({ textContent }) => /accept \d/.test(textContent))).toEqual([])
    pressIn('Show all', 1)
    const accept = vi.spyOn(desk, 'acceptTools')
    pressIn('I have seen it: accept 1 tool')
    await screen.findByText('1 tool is accepted as it is now.')
    expect(accept).toHaveBeenCalledWith('fs', [expect.objectContaining({ toolName: 'write' })])
  })

  it('are folded anew when they are others', async () => {
    desk.toolLooks = looks.map((l) => (l.toolName === 'write' ? { ...l, changed: 'both', definition: many(1001, 'said') } : l))
    await openSome()
    pressIn('Show all')
    desk.toolLooks = desk.toolLooks.map((l) =>
      l.toolName === 'write' ? { ...l, definition: many(1002, 'told'), shown: { ...l.shown, definition: 'told' } } : l,
    )
    pressIn('I have seen it all: accept 3 tools')
    await screen.findByRole('alert')
    pressIn('Look again')
    await screen.findByText('told 0')
    expect(screen.queryByText('told 500')).toBeNull()
    expect(screen.getByText(folded)).toBeTruthy()
    expect(named('button', 'I have seen it all: accept 2 tools')).toHaveLength(1)
  })

  it('have no button where none is shown whole', async () => {
    desk.toolLooks = looks.map((l) => ({ ...l, definition: { ...text('r1', 'r2', '"Sends it"'), cut: true, more: 880 } }))
    renderAt(desk, <ServersScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'Accept all 3 changed tools of fs…' }))
    expect(await screen.findAllByText('Too long to be accepted with others: look at it by itself.')).toHaveLength(3)
    expect(within(panel()).getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Cancel'])
    expect(panel().textContent).not.toContain('exactly what is shown')
  })

  it('do not change under a person’s eyes', async () => {
    await open()
    desk.toolLooks = looks.map((l) => ({ ...l, launch: text('l1', 'l9', '--other') }))
    const asked = vi.spyOn(desk, 'servers')
    desk.hint('servers.changed')
    await waitFor(() => {
      expect(asked).toHaveBeenCalled()
    })
    expect(screen.getByText('--all')).toBeTruthy()
    expect(screen.queryByText('--other')).toBeNull()
  })

  it('are left alone by Cancel, which gives the focus back', async () => {
    await open()
    press('Cancel')
    expect(screen.queryByRole('region', { name: /^What changed in/ })).toBeNull()
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Accept all 3 changed tools of fs…' }))
    expect(desk.toolLooks).toHaveLength(3)
  })

  it('are not to be accepted unseen', async () => {
    desk.failures.set('tool', new DeskError({ code: 'unavailable', message: 'closing' }))
    renderAt(desk, <ServersScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'Accept all 3 changed tools of fs…' }))
    await screen.findByText('The desk is closing or busy. Try again.')
    expect(screen.queryByRole('button', { name: /accept \d/ })).toBeNull()
  })

  it('are shown fifty at a time, and of those that nobody changed any more nothing is asked', async () => {
    const many = Array.from({ length: 60 }, (_, i) => `tool-${String(i)}`)
    desk.serverList = [serverOf(many)]
    desk.toolLooks = many.slice(1).map((name) => look(name))
    renderAt(desk, <ServersScreen />)
    const first = await screen.findByRole('button', { name: 'Accept the first 50 changed tools of fs…' })
    expect(first.textContent).toBe('Accept the first 50…')
    fireEvent.click(first)
    await screen.findByText('--all')
    press('I have seen it all: accept 49 tools')
    await screen.findByText('49 tools are accepted as they are now.')
    expect(desk.toolLooks.map(({ toolName }) => toolName)).toEqual(many.slice(50))
  })

  it('have no such button where there is one', async () => {
    desk.serverList = [serverOf(['write'])]
    renderAt(desk, <ServersScreen />)
    await screen.findByRole('button', { name: 'Show what changed in write' })
    expect(screen.queryByRole('button', { name: /^Accept/ })).toBeNull()
  })

  it('have no axe violation', async () => {
    await open()
    const { violations } = await axe.run(document.body, {
      rules: { region: { enabled: false }, 'color-contrast': { enabled: false }, 'label-content-name-mismatch': { enabled: false } },
    }) // the page around it, colours and fonts are not here
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([])
  })
})

describe('changed tools in Russian', () => {
  it.each([
    ['servers.accepted', 1, 'Принят 1 инструмент, каков он сейчас.'],
    ['servers.accepted', 3, 'Приняты 3 инструмента, каковы они сейчас.'],
    ['servers.accepted', 5, 'Принято 5 инструментов, каковы они сейчас.'],
    ['servers.changed', 2, 'Изменились 2 инструмента'],
    ['servers.changed', 11, 'Изменилось 11 инструментов'],
    ['servers.acceptFirst', 50, 'Принять первые 50…'],
    ['servers.acceptFirst', 51, 'Принять первые 51…'],
    ['tool.more', 21, 'Ещё 21 строка различий не показана.'],
    ['tool.more', 880, 'Ещё 880 строк различий не показано.'],
  ] as const)('are counted as they are read: %s of %i', (key, count, words) => {
    expect(say('ru', key, { count })).toBe(words)
  })
})
