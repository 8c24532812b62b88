import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FakeDesk } from '../desk/fake-desk'
import { Entrance } from '../desk/open-desk'
import { sampleCall } from '../test/samples'
import { App } from './app'
import { forgetPart } from './open-part'
import { screens } from './screens'

const failed = { name: 'This screen could not be drawn' }
const navigation = () => screen.getByRole('navigation', { name: 'Main', hidden: true })

let desk: FakeDesk

function open(name: string): void {
  window.history.replaceState(null, '', `#/${name}`)
  render(<App entrance={new Entrance({ desk })} />)
}

beforeEach(() => {
  desk = new FakeDesk()
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
})

afterEach(() => {
  for (const each of screens) forgetPart(each)
})

describe.each(screens)('the screen $name', (object) => {
  it('fails alone: the navigation stays, and the dialog for calls that wait', async () => {
    const Broken = (): never => {
      throw new Error('broken on purpose')
    }
    if ('load' in object) vi.spyOn(object, 'load').mockResolvedValue(Broken)
    else vi.spyOn(object as unknown as { component: () => never }, 'component').mockImplementation(Broken)
    open(object.name)
    expect((await screen.findByRole('heading', failed)).closest('section')?.textContent).toContain('broken on purpose')
    expect(within(navigation()).getAllByRole('link', { hidden: true })).toHaveLength(screens.length)
    act(() => {
      desk.put(sampleCall())
    })
    await screen.findByRole('alertdialog')
  })

  it('is not waited for by the dialog', async () => {
    if ('load' in object) vi.spyOn(object, 'load').mockReturnValue(new Promise(() => undefined))
    desk.put(sampleCall())
    open(object.name)
    expect(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Decline' })).toBeTruthy()
  })
})

describe.each(screens.filter((object) => 'load' in object))('the screen $name', (object) => {
  it('is loaded anew where it could not be loaded', async () => {
    const load = vi.spyOn(object, 'load').mockRejectedValueOnce(new Error('not reached'))
    open(object.name)
    await screen.findByText('not reached')
    expect(load).toHaveBeenCalledOnce()
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
    await waitFor(() => {
      expect(screen.queryByRole('heading', failed)).toBeNull()
    })
    expect(await screen.findByRole('heading', { level: 1 })).toBeTruthy()
  })
})
