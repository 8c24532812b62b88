import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { DeskError } from '../../desk/desk-error'
import { FakeDesk } from '../../desk/fake-desk'
import { openRules, toolsInOrder } from '../../test/rules-page'
import { sampleRule } from '../../test/samples'

let desk: FakeDesk

beforeEach(() => {
  desk = new FakeDesk()
  desk.ruleList = ['one', 'two', 'three', 'four'].map((toolName, i) => sampleRule({ id: toolName, toolName, toolPattern: null, priority: 40 - i, serverId: i < 2 ? 'git' : 'mail', effect: i === 3 ? 'deny' : 'allow' }))
})

const tools = () => toolsInOrder(/Tool (one|two|three|four)/)
const handle = (tool: string) => screen.getByRole('button', { name: new RegExp(`^Move rule \\d, \\w+ · ${tool}`) })
const said = () => screen.getAllByRole('status').map((status) => status.textContent ?? '').join(' | ')
const press = (element: Element, ...keys: string[]) => {
  for (const key of keys) fireEvent.keyDown(element, { key })
}
const open = (hash?: string) => openRules(desk, hash)
const movesTo = () => {
  const moves: unknown[] = []
  const move = desk.moveRule.bind(desk)
  desk.moveRule = (...args) => (moves.push(args), move(...args))
  return moves
}

describe('dragging', () => {
  const pointer = (type: string, clientY = 0) => Object.assign(new Event(type, { bubbles: true }), { pointerId: 1, button: 0, clientY })
  const drag = async (element: Element, end: () => void) => {
    fireEvent(element, pointer('pointerdown'))
    act(() => {
      for (const clientY of [0, 70, 1]) window.dispatchEvent(pointer('pointermove', clientY))
      end()
    })
    await act(() => new Promise((done) => setTimeout(done)))
  }
  const release = () => window.dispatchEvent(pointer('pointerup'))
  const isHeld = (tool: string) => handle(tool).getAttribute('aria-pressed') === 'true'

  it('that ends beside the handle leaves the next key press to the keyboard', async () => {
    const moves = movesTo()
    await open()
    await drag(handle('one'), release)
    fireEvent.click(handle('one'))
    expect([isHeld('one'), moves]).toEqual([true, []])
  })

  it('that was given up takes the click of its end for none', async () => {
    const moves = movesTo()
    await open()
    await drag(handle('one'), () => {
      fireEvent.keyDown(window, { key: 'Escape' })
    })
    act(() => {
      release()
      fireEvent.click(handle('one'))
    })
    expect([isHeld('one'), moves]).toEqual([false, []])
    await act(() => new Promise((done) => setTimeout(done)))
    fireEvent.click(handle('one'))
    expect(isHeld('one')).toBe(true)
  })
})

describe('moving by the keyboard', () => {
  it('of a rule that a search shows alone leaves it where it is', async () => {
    const moves = movesTo()
    await open()
    await userEvent.type(screen.getByRole('searchbox'), 'two')
    await waitFor(() => {
      expect(tools()).toEqual(['two'])
    })
    fireEvent.click(handle('two'))
    expect(said()).toContain('Rule 2 of 4, above mail · three')
    fireEvent.click(handle('two'))
    expect(said()).toContain('back')
    expect(moves).toEqual([])
  })

  it('among those that a search shows leads right before the next of them', async () => {
    desk.ruleList.push(sampleRule({ id: 'between', toolName: 'between', toolPattern: null, priority: 38, serverId: 'git', effect: 'ask' }))
    const moves = movesTo()
    await open()
    await userEvent.type(screen.getByRole('searchbox'), 'mail')
    await waitFor(() => {
      expect(tools()).toEqual(['three', 'four'])
    })
    fireEvent.click(handle('four'))
    press(handle('four'), 'Home')
    expect(tools()).toEqual(['four', 'three'])
    expect(handle('four').textContent).toBe('4') // its place among all
    fireEvent.click(handle('four'))
    await screen.findByText('Moved: mail · four')
    expect(moves).toEqual([['four', 'three', expect.any(Number)]])
    expect(desk.ruleList.map(({ id }) => id)).toEqual(['one', 'two', 'between', 'four', 'three'])
  })

  it('shows and tells each step, asks the desk once, and is taken back by Undo', async () => {
    const moves = movesTo()
    await open()
    fireEvent.click(handle('three'))
    expect(handle('three').getAttribute('aria-pressed')).toBe('true')
    expect(said()).toContain('Picked up mail · three. Arrow keys move it, Space drops it, Escape puts it back. Rule 3 of 4, above mail · four')
    press(handle('three'), 'ArrowUp')
    expect(said()).toContain('Rule 2 of 4, above git · two')
    expect(tools()).toEqual(['one', 'three', 'two', 'four'])
    expect(document.activeElement).toBe(handle('three'))
    expect(handle('two').textContent).toBe('3')
    press(handle('three'), 'End')
    expect(said()).toContain('Rule 4 of 4, at the end')
    press(handle('three'), 'Home')
    expect(moves).toEqual([])
    const version = desk.rev
    fireEvent.click(handle('three'))
    await screen.findByText('Moved: mail · three')
    expect(moves).toEqual([['three', 'one', version]])
    expect(said()).toContain('Moved. Rule 1 of 4, above git · one')
    expect(tools()).toEqual(['three', 'one', 'two', 'four'])
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }))
    await waitFor(() => {
      expect(tools()).toEqual(['one', 'two', 'three', 'four'])
    })
    expect(moves[1]).toEqual(['three', 'four', expect.any(Number)])
    expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
  })

  it('is given up by Escape and by leaving, and a drop where it was asks nothing', async () => {
    const moves = movesTo()
    await open()
    fireEvent.click(handle('one'))
    press(handle('one'), 'ArrowDown', 'Escape')
    expect(tools()).toEqual(['one', 'two', 'three', 'four'])
    expect(said()).toContain('Put back where it was.')
    fireEvent.click(handle('one'))
    press(handle('one'), 'ArrowDown')
    act(() => {
      screen.getByRole('searchbox').focus()
    })
    expect(tools()).toEqual(['one', 'two', 'three', 'four'])
    fireEvent.click(handle('one'))
    press(handle('one'), 'ArrowDown', 'ArrowUp')
    fireEvent.click(handle('one'))
    expect(handle('one').getAttribute('aria-pressed')).toBe('false')
    expect(moves).toEqual([])
  })

  it('takes no notice of a key that is held down', async () => {
    await open()
    const held = new KeyboardEvent('keydown', { key: 'Enter', repeat: true, bubbles: true, cancelable: true })
    handle('one').dispatchEvent(held)
    expect(held.defaultPrevented).toBe(true) // else each repeat would be a click
  })

  it('says that the rules were changed meanwhile, and shows them as they are', async () => {
    await open()
    desk.failures.set('moveRule', new DeskError({ code: 'lost_update', message: 'the rules were changed meanwhile' }))
    fireEvent.click(handle('four'))
    press(handle('four'), 'Home')
    desk.ruleList = [...desk.ruleList.slice(0, 3), sampleRule({ id: 'four', toolName: 'four', toolPattern: null, priority: 1, serverId: 'mail', note: 'theirs', updatedAt: '2026-02-02T00:00:00.000Z' })]
    fireEvent.click(handle('four'))
    await screen.findByText(/so nothing was moved/)
    await screen.findByText('theirs')
    expect(tools()).toEqual(['one', 'two', 'three', 'four'])
    expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
    fireEvent.click(handle('four'))
    expect(screen.queryByText(/so nothing was moved/)).toBeNull()
    desk.failures.clear()
    press(handle('four'), 'Home')
    fireEvent.click(handle('four'))
    await waitFor(() => {
      expect(tools()).toEqual(['four', 'one', 'two', 'three'])
    })
  })

  it('lets go of a rule that someone deletes meanwhile', async () => {
    await open()
    fireEvent.click(handle('two'))
    press(handle('two'), 'End')
    act(() => {
      desk.ruleList = desk.ruleList.filter(({ id }) => id !== 'two')
      desk.hint('rules.changed')
    })
    await waitFor(() => {
      expect(tools()).toEqual(['one', 'three', 'four'])
    })
    expect(screen.queryByRole('button', { pressed: true })).toBeNull()
  })
})
