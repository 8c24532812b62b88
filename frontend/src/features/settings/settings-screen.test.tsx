import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { DeskError } from '../../desk/desk-error'
import { FakeDesk } from '../../desk/fake-desk'
import { renderAt } from '../../test/render'
import { SettingsScreen } from './settings-screen'
import { choose } from '../../test/choose'

let desk: FakeDesk

beforeEach(() => {
  desk = new FakeDesk()
})

const type = (field: HTMLElement, text: string) => {
  fireEvent.change(field, { target: { value: text } })
}

describe('the settings screen', () => {
  it('keeps a number when Enter is pressed, and says so', async () => {
    renderAt(desk, <SettingsScreen />)
    const undo = await screen.findByLabelText('Seconds to undo an approval')
    type(undo, '5')
    expect(desk.settingsNow.undoSeconds).toBe(0)
    fireEvent.keyDown(undo, { key: 'Enter' })
    await screen.findByText('Saved')
    expect(desk.settingsNow.undoSeconds).toBe(5)
    expect(undo).toHaveProperty('value', '5')
  })

  it('sends a number once, though Enter is pressed and then the field is left; and again when it was refused and Enter is pressed again', async () => {
    const change = vi.spyOn(desk, 'changeSettings')
    renderAt(desk, <SettingsScreen />)
    const undo = await screen.findByLabelText('Seconds to undo an approval')
    type(undo, '5')
    fireEvent.keyDown(undo, { key: 'Enter' })
    fireEvent.blur(undo)
    await screen.findByText('Saved')
    expect(change.mock.calls).toEqual([[{ undoSeconds: 5 }]])
    desk.failures.set('changeSettings', new DeskError({ code: 'invalid', fault: { code: 'out_of_range', params: { least: 0, most: 60 }, field: 'undoSeconds' }, message: 'desk' }))
    type(undo, '99')
    fireEvent.keyDown(undo, { key: 'Enter' })
    await screen.findByText(/must lie from 0 to 60\.$/)
    fireEvent.blur(undo)
    expect(change).toHaveBeenCalledTimes(2)
    fireEvent.keyDown(undo, { key: 'Enter' })
    expect(change).toHaveBeenCalledTimes(3)
  })

  it('keeps what was typed last, whichever answer comes first', async () => {
    const waiting: (() => void)[] = []
    const change = desk.changeSettings.bind(desk)
    desk.changeSettings = (wanted) => new Promise((done) => waiting.push(() => void change(wanted).then(done)))
    renderAt(desk, <SettingsScreen />)
    const undo = await screen.findByLabelText('Seconds to undo an approval')
    type(undo, '5')
    fireEvent.keyDown(undo, { key: 'Enter' })
    type(undo, '6')
    await act(async () => {
      waiting[0]?.()
      await Promise.resolve()
    })
    expect(undo).toHaveProperty('value', '6')
    fireEvent.blur(undo)
    expect(waiting).toHaveLength(2)
    waiting[1]?.()
    await waitFor(() => {
      expect(desk.settingsNow.undoSeconds).toBe(6)
    })
  })

  it('keeps each limit of agents by itself', async () => {
    renderAt(desk, <SettingsScreen />)
    const members = await screen.findByLabelText('Members and elements of one input')
    type(members, '5000')
    fireEvent.blur(members)
    await waitFor(() => {
      expect(desk.settingsNow.limits).toEqual({ pendingPerAgent: 1000, inputMembers: 5000 })
    })
  })

  it('has a language for what is said outside of the pages', async () => {
    renderAt(desk, <SettingsScreen />)
    const language = await screen.findByLabelText('Language of notifications and the tray')
    await choose(language, '日本語')
    await waitFor(() => {
      expect(desk.settingsNow.language).toBe('ja')
    })
    await choose(language, 'As the system')
    await waitFor(() => {
      expect(desk.settingsNow.language).toBe('')
    })
  })

  it('takes back with Escape what was typed', async () => {
    renderAt(desk, <SettingsScreen />)
    const undo = await screen.findByLabelText('Seconds to undo an approval')
    type(undo, '50')
    fireEvent.keyDown(undo, { key: 'Escape' })
    expect(undo).toHaveProperty('value', '0')
    fireEvent.blur(undo)
    expect(desk.settingsNow.undoSeconds).toBe(0)
  })

  it('says at the field what is wrong, and keeps what was typed', async () => {
    renderAt(desk, <SettingsScreen />)
    const undo = await screen.findByLabelText('Seconds to undo an approval')
    type(undo, 'many')
    fireEvent.blur(undo)
    expect((await screen.findByRole('alert')).textContent).toBe('This is not a number.')
    desk.failures.set('changeSettings', new DeskError({ code: 'invalid', fault: { code: 'out_of_range', params: { least: 0, most: 60 }, field: 'undoSeconds' }, message: 'desk' }))
    type(undo, '99')
    fireEvent.blur(undo)
    await screen.findByText(/must lie from 0 to 60\.$/)
    expect(undo).toHaveProperty('value', '99')
    expect(undo.getAttribute('aria-invalid')).toBe('true')
  })

  it('lets a risk wait without limit, and gives it a limit again', async () => {
    renderAt(desk, <SettingsScreen />)
    const high = await screen.findByLabelText('High risk expires')
    fireEvent.click(high)
    await waitFor(() => {
      expect(desk.settingsNow.deadlines).toEqual({ low: 300, medium: 300, high: null })
    })
    await screen.findByText('waits without limit')
    fireEvent.click(high)
    await waitFor(() => {
      expect(desk.settingsNow.deadlines.high).toBe(600)
    })
  })

  it('has the brake for loops, which can be off', async () => {
    renderAt(desk, <SettingsScreen />)
    const calls = await screen.findByLabelText('Times allowed')
    type(calls, '9')
    fireEvent.keyDown(calls, { key: 'Enter' })
    await waitFor(() => {
      expect(desk.settingsNow.brake).toEqual({ calls: 9, seconds: 60 })
    })
    const brake = screen.getByLabelText('Ask when the same call is allowed again and again')
    fireEvent.click(brake)
    await waitFor(() => {
      expect(desk.settingsNow.brake).toBeNull()
    })
    expect(screen.queryByLabelText('Times allowed')).toBeNull()
    fireEvent.click(brake)
    await waitFor(() => {
      expect(desk.settingsNow.brake).toEqual({ calls: 50, seconds: 60 })
    })
  })

  it('says when a switch could not be kept', async () => {
    desk.failures.set('changeSettings', new DeskError({ code: 'unreachable', message: '' }))
    renderAt(desk, <SettingsScreen />)
    const quiet = await screen.findByLabelText(/^Do not disturb/)
    fireEvent.click(quiet)
    expect(quiet).toHaveProperty('checked', true) // as pressed
    await screen.findByText('The desk does not answer. Nothing was changed.')
    await waitFor(() => {
      expect(quiet).toHaveProperty('checked', false)
    })
  })

  it('adds, changes and removes the patience of a program', async () => {
    renderAt(desk, <SettingsScreen />)
    type(await screen.findByLabelText('Program'), 'nightly')
    fireEvent.click(screen.getByRole('button', { name: 'Add' }))
    const remove = await screen.findByRole('button', { name: 'Remove nightly' })
    expect(desk.settingsNow.patience).toEqual({ nightly: 60 })
    fireEvent.click(remove)
    await waitFor(() => {
      expect(desk.settingsNow.patience).toEqual({})
    })
  })
})
