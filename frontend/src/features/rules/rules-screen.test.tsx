import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { DeskError } from '../../desk/desk-error'
import { exampleRules } from '../../desk/example-rules'
import { FakeDesk } from '../../desk/fake-desk'
import { renderAt } from '../../test/render'
import { sampleRule } from '../../test/samples'
import { RulesScreen } from './rules-screen'

let desk: FakeDesk

beforeEach(() => {
  desk = new FakeDesk()
})

const rows = () => within(screen.getByRole('list', { name: 'Rules in the order of judgement' })).getAllByRole('listitem')
const button = (name: string | RegExp) => screen.getByRole('button', { name })
const ready = () => screen.findByText('Nothing matched')

describe('the rules screen', () => {
  it('lists rules in the order of judgement, and what nothing matched last', async () => {
    desk.ruleList = [sampleRule({ id: 'low', priority: 1, serverId: null, toolPattern: null, effect: 'ask' }), sampleRule({ id: 'allow', priority: 9 }), sampleRule({ id: 'deny', priority: 9, effect: 'deny', toolName: 'rm', toolPattern: null })]
    renderAt(desk, <RulesScreen />)
    await ready()
    expect(rows().map((row) => row.textContent)).toEqual([
      expect.stringMatching(/Deny.*Server filesystem.*Tool rm/),
      expect.stringMatching(/Allow.*Server filesystem.*Pattern read_\*/),
      expect.stringMatching(/Ask.*any server.*every tool/),
      expect.stringMatching(/Nothing matched.*Ask/),
    ])
  })

  it('shows what is off, expired, ignored or too wide', async () => {
    desk.ruleList = [
      sampleRule({ id: 'a', enabled: false }),
      sampleRule({ id: 'b', expiresAt: '2020-01-01T00:00:00.000Z' }),
      sampleRule({ id: 'c', toolName: 'x', toolPattern: 'y*' }),
      sampleRule({ id: 'd', serverId: null, toolPattern: '*' }),
    ]
    renderAt(desk, <RulesScreen />)
    await ready()
    const texts = rows().map((row) => row.textContent ?? '')
    for (const [id, word] of [['a', 'Off'], ['b', 'Expired'], ['c', 'Pattern ignored'], ['d', 'Allows everything']] as const) {
      const place = ['a', 'b', 'c', 'd'].indexOf(id)
      expect(texts.filter((text) => text.includes(word))).toEqual([texts[place]])
    }
  })

  it('adds a rule with the brief’s defaults: priority 0, not approved automatically', async () => {
    renderAt(desk, <RulesScreen />)
    await ready()
    fireEvent.click(button('Add a rule'))
    expect(screen.getByLabelText('Priority')).toHaveProperty('value', '0')
    expect(screen.getByLabelText('Ask')).toHaveProperty('checked', true)
    for (const empty of ['Server', 'Tool name', 'Tool pattern']) expect(screen.getByLabelText(empty)).toHaveProperty('value', '')
    await userEvent.type(screen.getByLabelText('Tool pattern'), 'git_*')
    await userEvent.type(screen.getByLabelText('Server'), 'shell{enter}')
    await screen.findByText('git_*')
    expect(rows()[0]?.textContent).toMatch(/Ask.*Server shell.*Pattern git_\*.*Priority 0/)
    expect(desk.ruleList).toMatchObject([{ serverId: 'shell', toolName: null, toolPattern: 'git_*', effect: 'ask', priority: 0, enabled: true }])
    expect(screen.queryByRole('form')).toBeNull()
  })

  it('takes no key from somebody who writes elsewhere when a new rule is saved', async () => {
    let arrive: () => void = () => undefined
    desk.ruleList = [sampleRule()]
    const create = desk.createRule.bind(desk)
    desk.createRule = async (form) => {
      await new Promise<void>((done) => (arrive = done))
      return create({ ...form, id: 'new' })
    }
    renderAt(desk, <RulesScreen />)
    await ready()
    fireEvent.click(button('Add a rule'))
    await userEvent.type(screen.getByLabelText('Tool pattern'), 'git_*{enter}')
    const search = screen.getByRole('searchbox')
    search.focus()
    arrive()
    await screen.findByText('git_*')
    expect(screen.queryByRole('form')).toBeNull()
    expect(document.activeElement).toBe(search)
    fireEvent.click(button('Add a rule'))
    await userEvent.type(screen.getByLabelText('Note'), '{Escape}')
    expect(document.activeElement).toBe(button('Add a rule'))
  })

  it('is not to be changed while it is saved; what is refused has the focus again', async () => {
    let refuse: () => void = () => undefined
    desk.createRule = () => new Promise((_, fail) => { refuse = () => { fail(new DeskError({ code: 'unreachable', message: '' })) } })
    renderAt(desk, <RulesScreen />)
    await ready()
    fireEvent.click(button('Add a rule'))
    const note = screen.getByLabelText('Note')
    await userEvent.type(note, 'mine{enter}')
    expect(note.closest('fieldset:disabled')).toBeTruthy()
    expect(button('Cancel').closest('fieldset:disabled')).toBeTruthy()
    const passing = document.body.appendChild(document.createElement('input')) // a browser takes the focus from what is disabled
    passing.focus()
    passing.remove()
    expect(document.activeElement).toBe(document.body)
    await act(async () => {
      refuse()
      await Promise.resolve()
    })
    expect(note.closest('fieldset:disabled')).toBeNull()
    expect(document.activeElement).toBe(note)
    expect(note).toHaveProperty('value', 'mine')
  })

  it('puts a refusal of the desk at its field and loses nothing', async () => {
    renderAt(desk, <RulesScreen />)
    await ready()
    desk.failures.set('createRule', new DeskError({ code: 'invalid', fault: { code: 'too_long', params: { most: 256 }, field: 'toolPattern' }, message: 'desk' }))
    fireEvent.click(button('Add a rule'))
    await userEvent.type(screen.getByLabelText('Tool pattern'), 'long')
    fireEvent.click(button('Save'))
    const error = await screen.findByText('Tool pattern is too long.')
    const field = screen.getByLabelText('Tool pattern')
    expect(field.getAttribute('aria-describedby')).toContain(error.id)
    expect(field.getAttribute('aria-invalid')).toBe('true')
    expect(field).toHaveProperty('value', 'long')
    expect(desk.ruleList).toEqual([])
    const range = { code: 'out_of_range', params: { least: -9, most: 9 }, field: 'priority' }
    desk.failures.set('createRule', new DeskError({ code: 'invalid', fault: range, message: 'desk' }))
    fireEvent.change(screen.getByLabelText('Priority'), { target: { value: '3000000000' } })
    fireEvent.click(button('Save'))
    await screen.findByText(/^Priority must lie from/)
    expect(screen.getByLabelText('Priority').getAttribute('aria-invalid')).toBe('true')
  })

  it.each(['', 'x', '1.5', '1e3'])('asks for a whole priority instead of %j', async (priority) => {
    renderAt(desk, <RulesScreen />)
    await ready()
    fireEvent.click(button('Add a rule'))
    fireEvent.change(screen.getByLabelText('Priority'), { target: { value: priority } })
    fireEvent.click(button('Save'))
    expect(await screen.findByText('A priority is a whole number.')).toBeTruthy()
    expect(desk.ruleList).toEqual([])
  })

  it('edits where the rule stands; Enter saves', async () => {
    desk.ruleList = [sampleRule()]
    renderAt(desk, <RulesScreen />)
    await ready()
    fireEvent.click(button('Edit the rule filesystem · read_*'))
    const pattern = screen.getByLabelText('Tool pattern')
    fireEvent.click(screen.getByLabelText('Deny'))
    await userEvent.clear(pattern)
    await userEvent.type(pattern, 'get_*{enter}')
    await screen.findByText('get_*')
    expect(desk.ruleList).toMatchObject([{ id: 'rule-1', toolPattern: 'get_*', effect: 'deny', serverId: 'filesystem', priority: 100 }])
  })

  it('puts back what was at Escape', async () => {
    desk.ruleList = [sampleRule()]
    renderAt(desk, <RulesScreen />)
    await ready()
    fireEvent.click(button(/^Edit the rule/))
    await userEvent.type(screen.getByLabelText('Tool pattern'), 'zzz{Escape}')
    expect(screen.queryByRole('form')).toBeNull()
    expect(document.activeElement).toBe(button(/^Edit the rule/))
    expect(screen.getByText('read_*')).toBeTruthy()
    expect(desk.ruleList).toEqual([sampleRule()])
  })

  it('says that someone else changed the rule, keeps what was written, and saves at the second try', async () => {
    desk.ruleList = [sampleRule()]
    renderAt(desk, <RulesScreen />)
    await ready()
    fireEvent.click(button(/^Edit the rule/))
    desk.ruleList = [sampleRule({ note: 'theirs', updatedAt: '2026-02-02T00:00:00.000Z' })]
    await userEvent.type(screen.getByLabelText('Note'), 'mine{enter}')
    await screen.findByText(/changed by someone else/)
    expect(desk.ruleList[0]?.note).toBe('theirs')
    expect(screen.getByLabelText('Note')).toHaveProperty('value', 'mine')
    fireEvent.click(button('Save'))
    await waitFor(() => {
      expect(desk.ruleList[0]?.note).toBe('mine')
    })
  })

  it('does not take a change that it was only told of for one that was seen', async () => {
    desk.ruleList = [sampleRule()]
    renderAt(desk, <RulesScreen />)
    await ready()
    fireEvent.click(button(/^Edit the rule/))
    act(() => {
      desk.ruleList = [sampleRule({ note: 'theirs', updatedAt: '2026-02-02T00:00:00.000Z' }), sampleRule({ id: 'new', toolPattern: 'new_*' })]
      desk.hint('rules.changed')
    })
    await screen.findByText('new_*')
    fireEvent.click(button('Save'))
    await screen.findByText(/changed by someone else/)
    expect(desk.ruleList[0]?.note).toBe('theirs')
  })

  it('deletes only after a confirmation that shows the rule', async () => {
    desk.ruleList = [sampleRule()]
    renderAt(desk, <RulesScreen />)
    await ready()
    fireEvent.click(button(/^Delete the rule/))
    const dialog = screen.getByRole('alertdialog', { name: 'Delete this rule?' })
    expect(dialog.textContent).toMatch(/Server filesystem.*Pattern read_\*/)
    expect(document.activeElement?.textContent).toBe('Cancel')
    fireEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }))
    fireEvent.click(button(/^Delete the rule/))
    fireEvent(screen.getByRole('alertdialog'), new Event('cancel', { cancelable: true })) // by Escape
    expect(screen.queryByRole('alertdialog')).toBeNull()
    expect(desk.ruleList).toHaveLength(1)
    fireEvent.click(button(/^Delete the rule/))
    fireEvent.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Delete the rule' }))
    await waitFor(() => {
      expect(desk.ruleList).toEqual([])
    })
    await screen.findByText('No rules yet')
  })

  it('asks nothing more of a rule that is going, though the page hears of its end before the answer', async () => {
    desk.ruleList = [sampleRule()]
    renderAt(desk, <RulesScreen />)
    await ready()
    let asked = 0
    const preview = desk.preview.bind(desk)
    desk.preview = (change) => (asked++, preview(change))
    let arrive: () => void = () => undefined
    const remove = desk.deleteRule.bind(desk)
    desk.deleteRule = async (...which: Parameters<typeof remove>) => {
      const gone = await remove(...which) // it is told of meanwhile
      await new Promise<void>((done) => (arrive = done))
      return gone
    }
    fireEvent.click(button(/^Delete the rule/))
    await waitFor(() => {
      expect(asked).toBe(1)
    })
    fireEvent.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Delete the rule' }))
    await screen.findByText('No rules yet')
    await new Promise((later) => setTimeout(later, 20))
    expect(asked).toBe(1)
    act(() => {
      arrive()
    })
    await screen.findByText(/^Deleted:/)
  })

  it('keeps the rule when the desk refuses to delete it, and says why', async () => {
    desk.ruleList = [sampleRule()]
    renderAt(desk, <RulesScreen />)
    await ready()
    fireEvent.click(button(/^Delete the rule/))
    desk.failures.set('deleteRule', new DeskError({ code: 'lost_update', message: 'changed' }))
    fireEvent.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Delete the rule' }))
    await screen.findByText('Someone else changed this meanwhile.')
  })

  it('offers the five example rules on an empty screen', async () => {
    renderAt(desk, <RulesScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'Add the five example rules' }))
    await waitFor(() => {
      expect(desk.ruleList).toHaveLength(5)
    })
    expect(desk.ruleList).toMatchObject(exampleRules)
    expect(screen.queryByText('No rules yet')).toBeNull()
  })

  it('counts hits anew a while after calls were decided, once for many', async () => {
    desk.ruleList = [sampleRule()]
    renderAt(desk, <RulesScreen />)
    await ready()
    let asked = 0
    const rules = desk.rules.bind(desk)
    desk.rules = () => (asked++, rules())
    vi.useFakeTimers()
    try {
      act(() => {
        desk.ruleList = [sampleRule({ hits: 1234, lastHitAt: '2026-03-04T00:00:00.000Z' })]
        for (let i = 0; i < 50; i++) desk.hint('call.decided')
      })
      await act(() => vi.advanceTimersByTimeAsync(3000))
    } finally {
      vi.useRealTimers()
    }
    expect(asked).toBe(1)
    await waitFor(() => {
      expect(rows()[0]?.textContent).toMatch(/used 1,234 times · Mar \d, 2026/)
    })
  })

  it('follows changes that others make', async () => {
    renderAt(desk, <RulesScreen />)
    await ready()
    act(() => {
      desk.ruleList = [sampleRule({ toolPattern: 'new_*' })]
      desk.hint('rules.changed')
    })
    await screen.findByText('new_*')
  })

  it('counts the waiting calls that a new rule matches', async () => {
    renderAt(desk, <RulesScreen />)
    await ready()
    desk.matches = 2
    fireEvent.click(button('Add a rule'))
    fireEvent.click(button('Save'))
    await screen.findByText('2 waiting calls match this rule. They still wait for your answer.')
    expect(screen.queryByRole('button', { name: /^Approve/ })).toBeNull() // it asks: there is nothing to approve
  })
})

describe('waiting calls that a saved allow rule matches', () => {
  const saved = async (released: number) => {
    renderAt(desk, <RulesScreen />)
    await ready()
    desk.matches = 2
    fireEvent.click(button('Add a rule'))
    fireEvent.click(screen.getByLabelText('Allow'))
    fireEvent.click(button('Save'))
    const offer = await screen.findByRole('button', { name: 'Approve them' })
    desk.matches = released
    return offer
  }

  it('wait until they are let go, and are counted as the desk counts them', async () => {
    const released: string[] = []
    const release = desk.release.bind(desk)
    desk.release = (id) => (released.push(id), release(id))
    const offer = await saved(1) // one was answered meanwhile
    expect(released).toEqual([])
    fireEvent.click(offer)
    await screen.findByText('1 waiting call was approved by this rule.')
    expect(released).toEqual([desk.ruleList[0]?.id])
    expect(screen.queryByRole('button', { name: /^Approve/ })).toBeNull()
  })

  it('are still offered when the desk refuses', async () => {
    const offer = await saved(2)
    desk.failures.set('release', new DeskError({ code: 'not_found', message: 'no such rule' }))
    fireEvent.click(offer)
    await screen.findByText('This no longer exists.')
    expect(button('Approve them')).toHaveProperty('disabled', false)
  })
})
