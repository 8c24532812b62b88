import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { DeskError } from '../desk/desk-error'
import { FakeDesk } from '../desk/fake-desk'
import { Entrance } from '../desk/open-desk'
import { sampleCall } from '../test/samples'
import { App } from './app'

let desk: FakeDesk

const open = () => render(<App entrance={new Entrance({ desk })} />)
const setQuiet = (quiet: boolean) => {
  desk.settingsNow = { ...desk.settingsNow, window: { ...desk.settingsNow.window, quiet } }
}

beforeEach(() => {
  desk = new FakeDesk()
  desk.put(sampleCall({ id: 'a' }))
  desk.put(sampleCall({ id: 'b' }))
})

describe('do not disturb', () => {
  it('is the desk’s: no dialog opens by itself, from the first moment on, until it is switched off', async () => {
    setQuiet(true)
    open()
    await screen.findByText('Do not disturb: 2 calls wait')
    expect(screen.queryByRole('alertdialog')).toBeNull()
    const quiet = screen.getByLabelText(/^Do not disturb: no dialog/)
    expect(quiet).toHaveProperty('checked', true)
    fireEvent.click(quiet)
    expect(quiet).toHaveProperty('checked', false)
    await screen.findByRole('alertdialog')
    expect(desk.settingsNow.window.quiet).toBe(false)
  })

  it('is switched off in the line that says what waits, too', async () => {
    setQuiet(true)
    open()
    await screen.findByText('Do not disturb: 2 calls wait')
    fireEvent.click(within(screen.getByRole('region', { name: 'What waits' })).getByRole('checkbox', { name: 'Do not disturb' }))
    await screen.findByRole('alertdialog')
    expect(desk.settingsNow.window.quiet).toBe(false)
  })

  it('is switched on by another page, and leaves what is open', async () => {
    open()
    await screen.findByRole('alertdialog')
    act(() => {
      setQuiet(true)
      desk.hint('settings.changed')
    })
    await waitFor(() => {
      expect(screen.getByLabelText(/^Do not disturb: no dialog/)).toHaveProperty('checked', true)
    })
    fireEvent.click(screen.getByRole('button', { name: 'Later' }))
    await screen.findByText('Do not disturb: 2 calls wait')
    expect(desk.answers).toEqual([])
  })

  it('is not taken for on when the desk does not say', async () => {
    desk.failures.set('settings', new DeskError({ code: 'unreachable', message: '' }))
    open()
    await screen.findByRole('alertdialog')
    expect(screen.queryByLabelText(/^Do not disturb: no dialog/)).toBeNull()
  })

  it('that could not be changed says so and stands as it was', async () => {
    setQuiet(true)
    desk.failures.set('changeSettings', new DeskError({ code: 'unavailable', message: '' }))
    open()
    const quiet = await screen.findByLabelText(/^Do not disturb: no dialog/)
    fireEvent.click(quiet)
    await screen.findByText('The desk is closing or busy. Try again.')
    await waitFor(() => {
      expect(quiet).toHaveProperty('checked', true)
    })
    expect(screen.queryByRole('alertdialog')).toBeNull()
  })
})

describe('the small window', () => {
  it('is the dialog alone, and becomes the whole desk when the person says so', async () => {
    desk.compact(true)
    open()
    const dialog = await screen.findByRole('alertdialog')
    expect(document.documentElement.hasAttribute('data-compact')).toBe(true)
    expect(screen.queryByRole('link', { name: 'Rules', hidden: true })).toBeNull()
    fireEvent.click(within(dialog).getByRole('button', { name: 'Open the desk' }))
    await screen.findByRole('link', { name: 'Rules', hidden: true })
    expect(screen.getByRole('alertdialog')).toBe(dialog)
    expect(document.documentElement.hasAttribute('data-compact')).toBe(false)
    expect(screen.queryByRole('button', { name: 'Open the desk' })).toBeNull()
  })

  it('says that nothing waits, or what was put off, with the way to the whole desk', async () => {
    desk.compact(true)
    open()
    await screen.findByRole('alertdialog')
    fireEvent.click(screen.getByRole('button', { name: 'Later' }))
    expect(screen.getByText('2 calls are waiting for you')).toBeTruthy()
    act(() => {
      desk.settle('a', 'expired')
      desk.settle('b', 'expired')
    })
    await screen.findByText('Nothing is waiting')
    fireEvent.click(screen.getByRole('button', { name: 'Open the desk' }))
    await screen.findByRole('link', { name: 'Rules' })
  })
})

it('counts more than it knows with a plus, in the title and beside the way there', async () => {
  desk.kept = Array.from({ length: 201 }, (_, n) => sampleCall({ id: `c${String(n)}` }))
  open()
  await screen.findByRole('alertdialog')
  expect(document.title).toBe('(200+) Sekisho')
  expect(screen.getByRole('link', { name: 'Waiting 200+', hidden: true })).toBeTruthy()
})
