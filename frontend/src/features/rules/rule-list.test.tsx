import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { DeskError } from '../../desk/desk-error'
import { nothingChanged } from '../../desk/fake-answers'
import { FakeDesk } from '../../desk/fake-desk'
import type { RuleChange } from '../../desk/types'
import { choose } from '../../test/choose'
import { openRules, toolsInOrder } from '../../test/rules-page'
import { sampleFinding, sampleRule } from '../../test/samples'

let desk: FakeDesk

beforeEach(() => {
  desk = new FakeDesk()
  desk.ruleList = ['one', 'two', 'three', 'four'].map((toolName, i) => sampleRule({ id: toolName, toolName, toolPattern: null, priority: 40 - i, serverId: i < 2 ? 'git' : 'mail', effect: i === 3 ? 'deny' : 'allow' }))
})

const tools = () => toolsInOrder(/Tool (one|two|three|four)/)
const said = () => screen.getAllByRole('status').map((status) => status.textContent ?? '').join(' | ')
const open = (hash?: string) => openRules(desk, hash)

describe('looking for a rule', () => {
  it('begins with the key /, unless something is being written', async () => {
    await open()
    const search = screen.getByRole('searchbox', { name: 'Search the rules' })
    await waitFor(() => {
      fireEvent.keyDown(document.body, { key: '/' }) // it is heard a moment after the page is drawn
      expect(document.activeElement).toBe(search)
    })
    await userEvent.type(search, 'mail thr')
    await waitFor(() => {
      expect(tools()).toEqual(['three'])
    })
    expect(said()).toContain('1 of 4 rules')
    expect(screen.getByText('Nothing matched')).toBeTruthy() // always drawn
    fireEvent.click(screen.getByRole('button', { name: 'Add a rule' }))
    const note = screen.getByLabelText('Note')
    note.focus()
    fireEvent.keyDown(note, { key: '/' })
    expect(document.activeElement).toBe(note)
  })

  it('by what rules are, and all of it is cleared at once', async () => {
    desk.findings = [sampleFinding('two', 'unreachable', 'one')]
    await open()
    await choose(screen.getByLabelText('Effect'), 'Allow')
    await choose(within(screen.getByRole('search')).getByLabelText('Server'), 'git')
    await waitFor(() => {
      expect(tools()).toEqual(['one', 'two'])
    })
    fireEvent.click(screen.getByLabelText('Never decides'))
    await waitFor(() => {
      expect(tools()).toEqual(['two'])
    })
    fireEvent.click(screen.getByRole('button', { name: 'Clear' }))
    await waitFor(() => {
      expect(tools()).toHaveLength(4)
    })
    expect(said()).toContain('4 rules')
  })

  it('does not take away the rule that is being written', async () => {
    await open()
    fireEvent.click(screen.getByRole('button', { name: 'Edit the rule git · two' }))
    await userEvent.type(screen.getByRole('searchbox'), 'four')
    await waitFor(() => {
      expect(tools()).toEqual(['four'])
    })
    await userEvent.type(screen.getByLabelText('Note'), 'still here{Enter}')
    await screen.findByText('still here')
    expect(tools()).toEqual(['two', 'four'])
    await userEvent.type(screen.getByRole('searchbox'), 'x')
    await waitFor(() => {
      expect(tools()).toEqual([])
    })
  })
})

describe('a way to a rule', () => {
  it('by its effect in the address: the list begins with it, and follows another one', async () => {
    await open('#/rules?effect=deny')
    expect(tools()).toEqual(['four'])
    expect(screen.getByLabelText('Effect')).toHaveProperty('value', 'deny')
    act(() => {
      window.history.replaceState(null, '', '#/rules?effect=allow')
      window.dispatchEvent(new HashChangeEvent('hashchange'))
    })
    await waitFor(() => {
      expect(tools()).toEqual(['one', 'two', 'three'])
    })
    cleanup()
    await open('#/rules?effect=else')
    expect(tools()).toHaveLength(4)
  })

  it('after a save takes no key from somebody who writes elsewhere already', async () => {
    let arrive: () => void = () => undefined
    await open()
    fireEvent.click(screen.getByRole('button', { name: 'Edit the rule git · two' }))
    const update = desk.updateRule.bind(desk)
    desk.updateRule = async (...change: Parameters<typeof update>) => {
      const saved = await update(...change)
      await new Promise<void>((done) => (arrive = done))
      return saved
    }
    await userEvent.type(screen.getByLabelText('Note'), 'written{Enter}')
    const search = screen.getByRole('searchbox')
    search.focus()
    act(() => {
      arrive()
    })
    await screen.findByText('written')
    await waitFor(() => {
      expect(document.querySelector('[data-rule=two][data-marked=true]')).toBeTruthy()
    })
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
    expect(document.activeElement).toBe(search)
  })

  it('after a save takes no key from somebody who went on in the row', async () => {
    await open()
    fireEvent.click(screen.getByRole('button', { name: 'Edit the rule git · two' }))
    let loaded: () => void = () => undefined
    await userEvent.type(screen.getByLabelText('Note'), 'written')
    const rules = desk.rules.bind(desk)
    desk.rules = async () => {
      await new Promise<void>((done) => (loaded = done))
      return rules()
    }
    await userEvent.keyboard('{Enter}')
    await waitFor(() => {
      expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Edit the rule git · two' }))
    })
    await userEvent.tab()
    act(() => {
      loaded()
    })
    await waitFor(() => {
      expect(document.querySelector('[data-rule=two][data-marked=true]')).toBeTruthy()
    })
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Delete the rule git · two' }))
  })

  it('after a save takes nothing from somebody who looks for another one before the next frame', async () => {
    await open()
    fireEvent.click(screen.getByRole('button', { name: 'Edit the rule git · two' }))
    const frames = new Map<number, FrameRequestCallback>()
    let last = 0
    vi.spyOn(window, 'requestAnimationFrame').mockImplementation((draw) => (frames.set(++last, draw), last))
    vi.spyOn(window, 'cancelAnimationFrame').mockImplementation((frame) => void frames.delete(frame))
    await userEvent.type(screen.getByLabelText('Note'), 'written{Enter}')
    await screen.findByText('written')
    await userEvent.type(screen.getByRole('searchbox'), 'four')
    act(() => {
      for (const [frame, draw] of frames) if (frames.delete(frame)) draw(0)
    })
    expect(screen.getByRole('searchbox')).toHaveProperty('value', 'four')
    expect(tools()).toEqual(['four'])
  })

  it('by the address: it is marked and has the focus, whatever was looked for', async () => {
    await open('#/rules?rule=three')
    await waitFor(() => {
      expect(document.activeElement?.getAttribute('data-rule')).toBe('three')
    })
    expect(document.activeElement?.getAttribute('data-marked')).toBe('true')
    await userEvent.type(screen.getByRole('searchbox'), 'one')
    act(() => {
      window.history.replaceState(null, '', '#/rules?rule=four')
      window.dispatchEvent(new HashChangeEvent('hashchange'))
    })
    await waitFor(() => {
      expect(document.activeElement?.getAttribute('data-rule')).toBe('four')
    })
    expect(screen.getByRole('searchbox')).toHaveProperty('value', '')
    await userEvent.type(screen.getByRole('searchbox'), 'o')
    expect(document.activeElement).toBe(screen.getByRole('searchbox')) // it does not lead away again
  })

  it('says so where there is no such rule', async () => {
    await open('#/rules?rule=gone')
    expect((await screen.findByRole('alert')).textContent).toBe('There is no rule gone any more.')
    act(() => {
      window.history.replaceState(null, '', '#/rules')
      window.dispatchEvent(new HashChangeEvent('hashchange'))
    })
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('out of a finding', async () => {
    desk.findings = [sampleFinding('two', 'conflict', 'four')]
    await open()
    fireEvent.click(await screen.findByRole('link', { name: '4. mail · four' }))
    await waitFor(() => {
      expect(document.activeElement?.getAttribute('data-rule')).toBe('four')
    })
  })
})

describe('deleting', () => {
  const remove = (rule: string) => {
    fireEvent.click(screen.getByRole('button', { name: `Delete the rule ${rule}` }))
    return screen.getByRole('alertdialog')
  }

  it('says what it changes, and Undo brings the rule back by its document', async () => {
    const asked: RuleChange[] = []
    desk.preview = (...args: unknown[]) => {
      asked.push(args[0] as RuleChange)
      return Promise.resolve({ ...nothingChanged, total: 20, changedTotal: 15, counts: { 'allow>ask': 14, 'allow>deny': 1 } })
    }
    const taken: unknown[] = []
    const take = desk.importRules.bind(desk)
    desk.importRules = (document, ...rest) => (taken.push([JSON.parse(document), ...rest]), take(document, ...rest))
    await open()
    const rule = desk.ruleList[1]
    const question = remove('git · two')
    await within(question).findByText('14 past calls would ask instead of being allowed')
    expect(within(question).getByText('1 past call would be denied instead of allowed')).toBeTruthy()
    expect(asked).toEqual([{ delete: ['two'] }])
    fireEvent.click(within(question).getByRole('button', { name: 'Delete the rule' }))
    await screen.findByText('Deleted: git · two')
    expect(desk.ruleList).toHaveLength(3)
    expect(document.activeElement).toBe(screen.getByRole('group', { name: 'Deleted: git · two' })) // the next key finds Undo, but Enter does not press it
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }))
    await waitFor(() => {
      expect(document.activeElement?.getAttribute('data-rule')).toBe('two')
    })
    expect(taken).toEqual([[expect.objectContaining({ rules: [rule] }), 'merge', null, ['two']]])
    expect(desk.ruleList).toContainEqual(rule)
  })

  it('undone puts the rule back among those of the same priority and effect, which stand as they were made', async () => {
    const made = ['2022-01-03', '2022-01-01', '2022-01-04', '2022-01-02'] // one, two, three, four
    desk.ruleList = desk.ruleList.map((rule, i) => ({ ...rule, priority: 7, effect: 'allow' as const, createdAt: `${made[i] ?? ''}T00:00:00.000Z` }))
    await open()
    expect(tools()).toEqual(['two', 'four', 'one', 'three'])
    fireEvent.click(within(remove('mail · four')).getByRole('button', { name: 'Delete the rule' }))
    await screen.findByText('Deleted: mail · four')
    expect(tools()).toEqual(['two', 'one', 'three'])
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }))
    await waitFor(() => {
      expect(tools()).toEqual(['two', 'four', 'one', 'three'])
    })
  })

  it('says of how many past calls nothing can be told', async () => {
    desk.previewNow = { ...nothingChanged, total: 7, changedTotal: 1, counts: { 'allow>ask': 1 }, unjudged: 2 }
    await open()
    const question = remove('git · two')
    const line = '2 past calls could not be judged: their input was removed'
    await within(question).findByText(line)
    expect(within(question).getByText('1 past call would ask instead of being allowed')).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    desk.previewNow = { ...nothingChanged, unjudged: 2 }
    const other = remove('git · one')
    await within(other).findByText(line)
    expect(within(other).queryByText(/^Would/)).toBeNull()
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    desk.previewNow = { ...nothingChanged, total: 7, unjudged: 2 }
    const third = remove('mail · three')
    await within(third).findByText('Would change none of 7 past calls')
    expect(within(third).getByText(line)).toBeTruthy()
  })

  it('says so when nothing changes or nothing is known, and asks all the same', async () => {
    desk.previewNow = { ...nothingChanged, total: 7 }
    await open()
    await within(remove('git · two')).findByText('Would change none of 7 past calls')
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    desk.failures.set('preview', new DeskError({ code: 'unavailable', message: '' }))
    const question = remove('git · one')
    await waitFor(() => {
      expect(within(question).queryByText(/past calls/)).toBeNull()
    })
    fireEvent.click(within(question).getByRole('button', { name: 'Delete the rule' }))
    await screen.findByText('Deleted: git · one')
  })

  it('of a rule that changed meanwhile is refused once, and means the new one then', async () => {
    await open()
    const question = remove('git · two')
    desk.ruleList = desk.ruleList.map((rule) => (rule.id === 'two' ? { ...rule, effect: 'deny' as const, updatedAt: '2026-02-02T00:00:00.000Z' } : rule))
    fireEvent.click(within(question).getByRole('button', { name: 'Delete the rule' }))
    await within(question).findByText('Someone else changed this meanwhile.')
    await within(question).findByText('Deny')
    fireEvent.click(within(question).getByRole('button', { name: 'Delete the rule' }))
    await screen.findByText('Deleted: git · two')
  })

  it('undone late takes away no newer Undo, nor the focus of somebody who writes', async () => {
    let arrive: () => void = () => undefined
    const take = desk.importRules.bind(desk)
    desk.importRules = async (...args) => {
      await new Promise<void>((done) => (arrive = done))
      return take(...args)
    }
    await open()
    fireEvent.click(within(remove('git · two')).getByRole('button', { name: 'Delete the rule' }))
    await screen.findByText('Deleted: git · two')
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }))
    fireEvent.click(within(remove('git · one')).getByRole('button', { name: 'Delete the rule' }))
    await screen.findByText('Deleted: git · one')
    const search = screen.getByRole('searchbox')
    search.focus()
    arrive()
    await waitFor(() => {
      expect(document.querySelector('[data-rule=two][data-marked=true]')).toBeTruthy()
    })
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
    expect(screen.getByText('Deleted: git · one')).toBeTruthy()
    expect(document.activeElement).toBe(search)
  })

  it('is not undone silently when the desk refuses', async () => {
    await open()
    fireEvent.click(within(remove('git · two')).getByRole('button', { name: 'Delete the rule' }))
    await screen.findByText('Deleted: git · two')
    desk.failures.set('importRules', new DeskError({ code: 'invalid', message: 'an example does not hold any more' }))
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }))
    await screen.findByText('The desk says: an example does not hold any more')
    desk.failures.clear()
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }))
    await waitFor(() => {
      expect(tools()).toEqual(['one', 'two', 'three', 'four'])
    })
  })
})

describe('what is odd about a rule', () => {
  it('stands at it in our words, once', async () => {
    desk.ruleList.push(sampleRule({ id: 'all', serverId: null, toolPattern: '*', priority: 1 }))
    desk.findings = [sampleFinding('two', 'unreachable', 'one'), sampleFinding('two', 'duplicate', 'one'), sampleFinding('three', 'no_star'), sampleFinding('all', 'allows_all'), sampleFinding('four', 'on_fire')]
    await open()
    await screen.findByText('Allows everything')
    const row = (id: string) => document.querySelector(`[data-rule=${id}]`)?.textContent
    await waitFor(() => {
      expect(row('two')).toContain('Says the same as 1. git · one, which comes first')
    })
    expect(row('two')).not.toContain('Never decides')
    expect(row('three')).toContain('The pattern has no *')
    expect(row('all')).not.toContain('without asking') // its badge says it
    expect(row('four')).toContain('desk')
  })
})
