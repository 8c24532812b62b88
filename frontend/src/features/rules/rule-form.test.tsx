import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { DeskError } from '../../desk/desk-error'
import { FakeDesk } from '../../desk/fake-desk'
import { choose } from '../../test/choose'
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

describe('what narrows a rule', () => {
  const narrow = () =>
    sampleRule({
      condition: 'input.path.startsWith("/tmp/")',
      expiresAt: '2031-05-06T07:08:09.123Z',
      examples: [{ serverId: 'filesystem', toolName: 'read_file', input: '{}', decision: 'allow' }, { serverId: null, toolName: 'stop', decision: 'deny' }],
    })
  const sentBy = () => {
    const sent: unknown[] = []
    const update = desk.updateRule.bind(desk)
    desk.updateRule = (id, changes, ifMatch) => (sent.push(changes), update(id, changes, ifMatch))
    return sent
  }

  it('is shown in the list; in the form it is written, but for the examples', async () => {
    desk.ruleList = [narrow()]
    renderAt(desk, <RulesScreen />)
    await ready()
    const texts = (row: Element | null | undefined) => row?.querySelector('[class*=limits]')?.textContent ?? ''
    expect(texts(rows()[0])).toMatch(/Only if path begins with \/tmp\/.*Until May \d, 2031.*Must allow filesystem · read_file with an input of its own.*Must deny stop$/)
    fireEvent.click(button(/^Edit the rule/))
    const form = screen.getByRole('form')
    expect(texts(form)).toMatch(/not edited here.*Must allow filesystem · read_file with an input of its own.*Must deny stop$/)
    expect(within(form).getByLabelText('Only if')).toHaveProperty('value', narrow().condition)
    expect(within(form).getByLabelText('Until')).toHaveProperty('value', expect.stringMatching(/^2031-05-0\d \d\d:\d\d:09/))
  })

  it('is not touched by an edit of something else: only what was changed is sent', async () => {
    desk.ruleList = [narrow()]
    const sent = sentBy()
    renderAt(desk, <RulesScreen />)
    await ready()
    fireEvent.click(button(/^Edit the rule/))
    await userEvent.type(screen.getByLabelText('Note'), 'mine')
    await userEvent.clear(screen.getByLabelText('Tool pattern'))
    fireEvent.click(screen.getByLabelText('Deny'))
    fireEvent.click(button('Save'))
    await screen.findByText('mine')
    expect(sent).toEqual([{ note: 'mine', toolPattern: null, effect: 'deny' }])
    const { condition, expiresAt, examples } = narrow()
    expect(desk.ruleList).toMatchObject([{ condition, expiresAt, examples, priority: 100, serverId: 'filesystem' }])
  })

  it('is a limit too: shown in words, written with its unit, and none of a rule that asks', async () => {
    desk.ruleList = [sampleRule({ limit: { calls: 5, seconds: 600 } })]
    const sent = sentBy()
    renderAt(desk, <RulesScreen />)
    await ready()
    expect(rows()[0]?.textContent).toContain('At most 5 per 10 minutes')
    fireEvent.click(button(/^Edit the rule/))
    expect(screen.getByLabelText('calls in')).toHaveProperty('value', '10')
    const calls = screen.getByLabelText('At most')
    fireEvent.change(calls, { target: { value: 'many' } })
    await choose(screen.getByLabelText('Unit of time'), 'hours')
    fireEvent.click(button('Save'))
    await screen.findByText('A limit is 1 to 1,000,000 calls in at most 30 days.')
    await waitFor(() => {
      expect(document.activeElement).toBe(calls) // once it is over: what is refused is said before
    })
    await userEvent.clear(calls)
    await userEvent.type(calls, '7{Enter}')
    await waitFor(() => {
      expect(sent).toEqual([{ limit: { calls: 7, seconds: 36_000 } }])
    })
    expect(await screen.findByText('At most 7 per 10 hours')).toBeTruthy()
    fireEvent.click(button(/^Edit the rule/))
    fireEvent.click(screen.getByLabelText('Ask'))
    expect(screen.queryByLabelText('At most')).toBeNull()
    fireEvent.click(button('Save'))
    await waitFor(() => {
      expect(sent[1]).toEqual({ effect: 'ask', limit: null })
    })
  })

  it('is written and taken away; Enter saves in each field, Shift and Enter begin a line', async () => {
    desk.ruleList = [narrow()]
    const sent = sentBy()
    renderAt(desk, <RulesScreen />)
    await ready()
    fireEvent.click(button(/^Edit the rule/))
    const condition = screen.getByLabelText('Only if')
    await userEvent.clear(condition)
    await userEvent.type(condition, 'input.a{Shift>}{Enter}{/Shift}&& input.b')
    fireEvent.change(screen.getByLabelText('Until'), { target: { value: '' } })
    fireEvent.keyDown(condition, { key: 'Enter', isComposing: true }) // the end of a composition, not of the rule
    expect(sent).toEqual([])
    await userEvent.type(condition, '{Enter}')
    await waitFor(() => {
      expect(sent).toEqual([{ condition: 'input.a\n&& input.b', expiresAt: null }])
    })
  })

  it('shows where a condition or a time is wrong, with the focus there', async () => {
    renderAt(desk, <RulesScreen />)
    await ready()
    fireEvent.click(button('Add a rule'))
    desk.failures.set('createRule', new DeskError({ code: 'invalid', fault: { code: 'condition_bad', params: { error: 'syntax error at 1:9' }, field: 'condition' }, message: 'desk' }))
    await userEvent.type(screen.getByLabelText('Only if'), 'input.x =={Enter}')
    await screen.findByText('The condition is not right: syntax error at 1:9')
    await waitFor(() => {
      expect(document.activeElement).toBe(screen.getByLabelText('Only if'))
    })
    desk.failures.clear()
    const until = screen.getByLabelText('Until')
    fireEvent.change(until, { target: { value: 'tomorrow' } })
    fireEvent.click(button('Save'))
    await waitFor(() => {
      expect(screen.getAllByText('Write the time as 2030-12-31 23:59.')).toHaveLength(2) // as the words of what is written, and as the fault
    })
    fireEvent.change(until, { target: { value: '2030-12-31 23:59' } })
    fireEvent.click(button('Save'))
    await waitFor(() => {
      expect(desk.ruleList).toMatchObject([{ condition: 'input.x ==', expiresAt: new Date(2030, 11, 31, 23, 59).toISOString() }])
    })
  })

  it('comes into the form when someone else changes the rule: what was not touched shows theirs', async () => {
    desk.ruleList = [sampleRule()]
    renderAt(desk, <RulesScreen />)
    await ready()
    fireEvent.click(button(/^Edit the rule/))
    desk.ruleList = [{ ...narrow(), priority: 7, updatedAt: '2026-02-02T00:00:00.000Z' }]
    await userEvent.type(screen.getByLabelText('Note'), 'mine{enter}')
    await screen.findByText(/changed by someone else/)
    expect(screen.getByLabelText('Only if')).toHaveProperty('value', narrow().condition)
    expect(screen.getByLabelText('Priority')).toHaveProperty('value', '7')
    expect(screen.getByLabelText('Note')).toHaveProperty('value', 'mine')
    fireEvent.click(button('Save'))
    await waitFor(() => {
      expect(desk.ruleList).toMatchObject([{ note: 'mine', priority: 7, condition: narrow().condition, expiresAt: narrow().expiresAt, examples: narrow().examples }])
    })
  })
})

describe('a rule that someone deletes while it is written', () => {
  it('stays, and can be saved as a new one', async () => {
    desk.ruleList = [sampleRule(), sampleRule({ id: 'other', priority: 5, toolPattern: 'other_*' })]
    renderAt(desk, <RulesScreen />)
    await ready()
    fireEvent.click(button('Edit the rule filesystem · read_*'))
    await userEvent.type(screen.getByLabelText('Note'), 'mine')
    act(() => {
      desk.ruleList = desk.ruleList.slice(1)
      desk.hint('rules.changed')
    })
    await screen.findByText(/Someone deleted this rule meanwhile/)
    expect(rows()[0]?.querySelector('form')).toBeTruthy()
    expect(screen.getByLabelText('Note')).toHaveProperty('value', 'mine')
    fireEvent.click(button('Save as new'))
    await screen.findByText('mine')
    expect(desk.ruleList).toMatchObject([{ id: 'other' }, { id: 'rule-1', note: 'mine', toolPattern: 'read_*' }])
  })

  it('is let go by Escape', async () => {
    desk.ruleList = [sampleRule()]
    renderAt(desk, <RulesScreen />)
    await ready()
    fireEvent.click(button(/^Edit the rule/))
    desk.failures.set('updateRule', new DeskError({ code: 'not_found', message: 'no such rule' }))
    desk.ruleList = []
    await userEvent.type(screen.getByLabelText('Note'), 'mine{enter}')
    await screen.findByText(/Someone deleted this rule meanwhile/)
    await userEvent.type(screen.getByLabelText('Note'), '{Escape}')
    expect(screen.queryByRole('form')).toBeNull()
    await screen.findByText('No rules yet')
  })
})
