import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { DeskError } from '../desk/desk-error'
import { FakeDesk } from '../desk/fake-desk'
import { Entrance } from '../desk/open-desk'
import type { PendingCall } from '../desk/types'
import { sampleCall } from '../test/samples'
import { App } from './app'
import { applyTheme, storedTheme } from './theme'
import { choose } from '../test/choose'

let desk: FakeDesk

beforeEach(() => {
  desk = new FakeDesk()
})

describe('the page', () => {
  it('says that the one before it was lost, until that is closed', async () => {
    desk.isRenewed = true
    render(<App entrance={new Entrance({ desk })} />)
    const said = await screen.findByText(/was loaded anew/)
    fireEvent.click(within(said).getByRole('button', { name: 'Close' }))
    expect(screen.queryByText(/was loaded anew/)).toBeNull()
  })

  it('says how to sign in when there is no desk, and when its key ended', async () => {
    const entrance = new Entrance({ desk })
    render(<App entrance={entrance} />)
    await screen.findByText('Welcome to the checkpoint')
    act(entrance.signOut)
    expect(screen.getByRole('heading', { name: 'Sign in to the desk' })).toBeTruthy()
    expect(screen.getByText('sekisho login-url')).toBeTruthy()
    expect(screen.getByText(/no longer knows this tab/)).toBeTruthy()
    cleanup()
    render(<App entrance={new Entrance({ signedOut: 'bad-code' })} />)
    expect(screen.getByText(/^This sign-in address was used before, or it is not complete\./)).toBeTruthy()
  })

  it('keeps a screen or a dialog that cannot be drawn from taking anything else with it', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    desk.kept = [sampleCall({ id: 'bad' })]
    const pending = desk.pending.bind(desk)
    const broken = (call: PendingCall) => (call.id === 'bad' ? { ...call, toolName: null as never, agentName: null as never } : call)
    vi.spyOn(desk, 'pending').mockImplementation(async (cursor) => {
      const snapshot = await pending(cursor)
      return { ...snapshot, items: snapshot.items.map(broken) }
    })
    render(<App entrance={new Entrance({ desk })} />)
    await screen.findByText('This call could not be shown, so it cannot be answered here.')
    expect(await screen.findByRole('heading', { level: 1, name: 'This screen could not be drawn' })).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Later' }))
    await waitFor(() => {
      expect(screen.queryByText(/^This call could not be shown/)).toBeNull()
    })
    act(() => {
      desk.put(sampleCall({ id: 'good' }))
    })
    expect(await screen.findByRole('alertdialog')).toBeTruthy()
    desk.kept = [sampleCall({ id: 'good' })]
    act(() => {
      desk.hint('call.changed')
    })
    await waitFor(() => {
      expect(desk.kept).toHaveLength(1)
      fireEvent.click(screen.getByRole('button', { name: 'Try again', hidden: true }))
      expect(screen.getByRole('heading', { level: 1, name: 'Waiting', hidden: true })).toBeTruthy()
    })
  })

  it('says so when what is around the screens cannot be drawn, and offers to load it again', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const reload = vi.fn()
    const info = await desk.info()
    desk.info = () => Promise.resolve({ ...info, version: {} as never })
    render(<App entrance={new Entrance({ desk })} reload={reload} />)
    const failed = await screen.findByRole('alert')
    expect(within(failed).getByRole('heading', { name: 'This page has stopped' })).toBeTruthy()
    expect(failed.textContent).toContain('calls that wait go on waiting')
    act(() => {
      desk.put(sampleCall())
    })
    await screen.findByRole('alertdialog')
    fireEvent.click(within(failed).getByRole('button', { name: 'Load the page again' }))
    expect(reload).toHaveBeenCalledOnce()
  })

  it('goes where the address says', async () => {
    render(<App entrance={new Entrance({ desk })} />)
    await screen.findByText('Welcome to the checkpoint')
    for (const [name, heading] of [['rules', 'Rules'], ['activity', 'Activity'], ['grants', 'Live grants'], ['servers', 'Servers'], ['agents', 'Agents'], ['settings', 'Settings'], ['waiting', 'Waiting']] as const) {
      act(() => {
        window.history.replaceState(null, '', `#/${name}`)
        window.dispatchEvent(new HashChangeEvent('hashchange'))
      })
      expect(await screen.findByRole('heading', { level: 1, name: heading })).toBeTruthy()
      expect(screen.getByRole('link', { current: 'page' }).getAttribute('href')).toBe(`#/${name}`)
    }
  })

  it('counts what waits in the title and beside the way there', async () => {
    desk.put(sampleCall({ id: 'a' }))
    desk.put(sampleCall({ id: 'b' }))
    render(<App entrance={new Entrance({ desk })} />)
    await screen.findByRole('alertdialog')
    expect(document.title).toBe('(2) Sekisho')
    expect(screen.getByRole('link', { name: 'Waiting 2', hidden: true })).toBeTruthy()
    act(() => {
      desk.settle('a', 'expired')
      desk.settle('b', 'expired')
    })
    await screen.findByText('Welcome to the checkpoint')
    expect(document.title).toBe('Sekisho')
  })

  it('holds everything by a switch, and says so on every screen', async () => {
    render(<App entrance={new Entrance({ desk })} />)
    const held = /^Everything is held/
    const hold = await screen.findByLabelText(/^Hold everything: nothing new is done/)
    expect(hold).toHaveProperty('checked', false)
    expect(screen.queryByText(held)).toBeNull()
    fireEvent.click(hold)
    expect(hold).toHaveProperty('checked', true)
    expect(screen.queryByText(held)).toBeNull() // not before the desk says so
    await screen.findByText(held)
    expect(desk.settingsNow.hold).toBe(true)
    for (const name of ['rules', 'activity', 'servers', 'agents', 'waiting']) {
      act(() => {
        window.history.replaceState(null, '', `#/${name}`)
        window.dispatchEvent(new HashChangeEvent('hashchange'))
      })
      expect(screen.getByText(held)).toBeTruthy()
    }
    fireEvent.click(hold)
    await waitFor(() => {
      expect(screen.queryByText(held)).toBeNull()
    })
    expect(desk.settingsNow.hold).toBe(false)
  })

  it('holds everything by a key from anywhere, a dialog too, and never lets go by it', async () => {
    desk.put(sampleCall({ id: 'a' }))
    render(<App entrance={new Entrance({ desk })} />)
    const dialog = await screen.findByRole('alertdialog')
    const set: boolean[] = []
    const holds = desk.hold.bind(desk)
    desk.hold = (on) => (set.push(on), holds(on))
    const press = (init: KeyboardEventInit) => fireEvent.keyDown(dialog, { code: 'KeyH', ...init })
    press({ key: 'h' })
    press({ key: 'H', shiftKey: true })
    press({ key: 'h', ctrlKey: true })
    press({ key: 'H', ctrlKey: true, shiftKey: true, altKey: true })
    press({ key: 'H', ctrlKey: true, shiftKey: true, repeat: true })
    expect(set).toEqual([])
    press({ key: 'Р', ctrlKey: true, shiftKey: true }) // by its place: a Russian keyboard says another letter there
    await screen.findByText(/^Everything is held/)
    press({ key: 'H', metaKey: true, shiftKey: true })
    press({ key: 'H', ctrlKey: true, shiftKey: true })
    expect(set.length).toBeGreaterThanOrEqual(3) // also where it holds already: another page may have let go
    expect(set).not.toContain(false)
    expect(screen.getByLabelText(/^Hold everything: nothing new is done/)).toHaveProperty('checked', true)
  })

  it('sends the key while a release is under way, shows the last wish, and sends it once more when both are answered', async () => {
    desk.settingsNow = { ...desk.settingsNow, hold: true }
    render(<App entrance={new Entrance({ desk })} />)
    await screen.findByText(/^Everything is held/)
    const hold = screen.getByLabelText(/^Hold everything: nothing new is done/)
    const sent: boolean[] = []
    const holds = desk.hold.bind(desk)
    let letGo: () => void = () => undefined
    const released = new Promise<void>((done) => (letGo = done))
    desk.hold = async (on) => {
      sent.push(on)
      if (!on) await released
      return holds(on)
    }
    fireEvent.click(hold)
    fireEvent.keyDown(document.body, { code: 'KeyH', key: 'H', ctrlKey: true, shiftKey: true })
    expect(sent).toEqual([false, true])
    expect(hold).toHaveProperty('checked', true)
    act(letGo)
    await waitFor(() => {
      expect(sent).toEqual([false, true, true])
      expect(desk.settingsNow.hold).toBe(true)
    })
    await screen.findByText(/^Everything is held/)
    expect(hold).toHaveProperty('checked', true)
  })

  it('learns that another page holds everything', async () => {
    render(<App entrance={new Entrance({ desk })} />)
    await screen.findByLabelText(/^Hold everything: nothing new is done/)
    act(() => {
      desk.settingsNow = { ...desk.settingsNow, hold: true }
      desk.hint('settings.changed')
    })
    await screen.findByText(/^Everything is held/)
    expect(screen.getByLabelText(/^Hold everything: nothing new is done/)).toHaveProperty('checked', true)
  })

  it('does not show as held what the desk did not hold', async () => {
    render(<App entrance={new Entrance({ desk })} />)
    desk.failures.set('hold', new DeskError({ code: 'unavailable', message: '' }))
    const hold = await screen.findByLabelText(/^Hold everything: nothing new is done/)
    fireEvent.click(hold)
    await screen.findByText('The desk is closing or busy. Try again.')
    await waitFor(() => {
      expect(hold).toHaveProperty('checked', false)
    })
    expect(screen.queryByText(/^Everything is held/)).toBeNull()
  })

  it('says when the desk does not answer, and when it does again', async () => {
    desk.failures.set('pending', new DeskError({ code: 'unreachable', message: '' }))
    render(<App entrance={new Entrance({ desk })} />)
    await screen.findByText(/The desk does not answer/)
    desk.failures.clear()
    act(() => {
      desk.hint('connected')
    })
    await screen.findByText('Welcome to the checkpoint')
    expect(screen.queryByText(/The desk does not answer/)).toBeNull()
  })

  it('says what is wrong with the disk, and when it is mended', async () => {
    desk.troubleNow = 'the desk cannot keep calls: the disk is full'
    desk.failures.set('pending', new DeskError({ code: 'unavailable', message: desk.troubleNow }))
    render(<App entrance={new Entrance({ desk })} />)
    expect((await screen.findByText(/^Something is wrong with what the desk keeps/)).closest('[role=alert]')?.textContent).toContain('The desk says: the desk cannot keep calls: the disk is full')
    expect(screen.queryByText(/The desk does not answer/)).toBeNull()
    desk.troubleNow = ''
    desk.failures.clear()
    act(() => {
      desk.hint('connected')
    })
    await screen.findByText('Welcome to the checkpoint')
    await waitFor(() => {
      expect(screen.queryByText(/^Something is wrong/)).toBeNull()
    })
  })

  it('speaks another language at once and keeps the theme', async () => {
    window.history.replaceState(null, '', '#/settings')
    render(<App entrance={new Entrance({ desk })} />)
    await choose(await screen.findByLabelText('Language'), 'Русский')
    expect(await screen.findByRole('heading', { name: 'Настройки' })).toBeTruthy()
    expect(desk.settingsNow.language).toBe('') // other pages and the notifications have their own
    await choose(screen.getByLabelText('Оформление'), 'Тёмное')
    expect(document.documentElement.dataset.theme).toBe('dark')
    expect(storedTheme()).toBe('dark')
    applyTheme('system')
    expect(document.documentElement.dataset.theme).toBeUndefined()
  })
})
