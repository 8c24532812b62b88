import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { DeskError } from '../../desk/desk-error'
import { FakeDesk } from '../../desk/fake-desk'
import { choose } from '../../test/choose'
import { openRules, toolsInOrder, write } from '../../test/rules-page'
import { sampleRule } from '../../test/samples'

let desk: FakeDesk

beforeEach(() => {
  desk = new FakeDesk()
  desk.ruleList = ['one', 'two', 'three'].map((toolName, i) => sampleRule({ id: toolName, toolName, toolPattern: null, priority: 40 - i, serverId: 'git' }))
})

const enabled = () => Object.fromEntries(desk.ruleList.map(({ id, enabled }) => [id, enabled]))
const pick = (tool: string) => {
  fireEvent.click(screen.getByRole('checkbox', { name: `Choose the rule git · ${tool}` }))
}
const bar = () => screen.getByRole('group', { name: 'The chosen rules' })
const press = (name: string) => {
  fireEvent.click(screen.getByRole('button', { name }))
}

describe('rules that are chosen', () => {
  it('are switched off and on together, and that is undone at once', async () => {
    await openRules(desk)
    pick('one')
    pick('three')
    expect(within(bar()).getByRole('status').textContent).toBe('2 rules chosen')
    press('Switch off')
    await screen.findByText('Switched off: 2 rules')
    expect(enabled()).toEqual({ one: false, two: true, three: false })
    expect(screen.queryByRole('group', { name: 'The chosen rules' })).toBeNull()
    press('Undo')
    await waitFor(() => {
      expect(enabled()).toEqual({ one: true, two: true, three: true })
    })
    fireEvent.click(screen.getByRole('checkbox', { name: 'Choose all rules in view' }))
    expect(within(bar()).getByRole('status').textContent).toBe('3 rules chosen')
    press('Choose none')
    expect(screen.queryByRole('group', { name: 'The chosen rules' })).toBeNull()
  })

  it('stop at the first that the desk refuses; what was done before it can be undone', async () => {
    await openRules(desk)
    const update = desk.updateRule.bind(desk)
    desk.updateRule = (id, changes, seen) =>
      id === 'two' ? Promise.reject(new DeskError({ code: 'lost_update', message: 'changed' })) : update(id, changes, seen)
    fireEvent.click(screen.getByRole('checkbox', { name: 'Choose all rules in view' }))
    press('Switch off')
    expect((await within(bar()).findByRole('alert')).textContent).toContain('It stopped at git · two.')
    expect(enabled()).toEqual({ one: false, two: true, three: true })
    expect(within(bar()).getByRole('status').textContent).toBe('2 rules chosen')
    press('Undo')
    await waitFor(() => {
      expect(enabled()).toEqual({ one: true, two: true, three: true })
    })
  })

  it('are deleted only after a question', async () => {
    await openRules(desk)
    pick('one')
    pick('two')
    fireEvent.click(within(bar()).getByRole('button', { name: 'Delete' }))
    const dialog = screen.getByRole('alertdialog', { name: 'Delete 2 rules?' })
    expect(desk.ruleList).toHaveLength(3)
    fireEvent.click(within(dialog).getByRole('button', { name: 'Delete' }))
    await screen.findByText('Deleted: 2 rules')
    expect(desk.ruleList.map(({ id }) => id)).toEqual(['three'])
  })
})

describe('what was done since the screen was opened', () => {
  it('is undone step by step, the last first; what somebody changed since is left alone', async () => {
    await openRules(desk)
    for (const note of ['first', 'second']) {
      press('Edit the rule git · two')
      await userEvent.clear(screen.getByLabelText('Note'))
      await userEvent.type(screen.getByLabelText('Note'), `${note}{Enter}`)
      await screen.findByText(note)
    }
    const note = () => desk.ruleList.find(({ id }) => id === 'two')?.note
    expect(screen.getByText('1 earlier step can be undone after this')).toBeTruthy()
    press('Undo')
    await waitFor(() => {
      expect(note()).toBe('first')
    })
    await waitFor(() => {
      expect(screen.queryByText(/earlier step/)).toBeNull()
    })
    desk.ruleList = desk.ruleList.map((rule) => (rule.id === 'two' ? { ...rule, note: 'theirs', updatedAt: '2027-01-01T00:00:00.000Z' } : rule))
    press('Undo')
    await screen.findByText(/The rules were changed meanwhile, so this was not undone/)
    expect(note()).toBe('theirs')
  })

  it('takes a new rule away again', async () => {
    await openRules(desk)
    press('Add a rule')
    write(screen.getByLabelText('Tool name'), 'new')
    press('Save')
    await screen.findByText('Added: any server · new')
    expect(desk.ruleList).toHaveLength(4)
    press('Undo')
    await waitFor(() => {
      expect(toolsInOrder(/Tool (one|two|three|new)/)).toEqual(['one', 'two', 'three'])
    })
  })
})

describe('the condition of a rule', () => {
  it('is built in words and taken apart again; the desk makes the CEL', async () => {
    await openRules(desk)
    press('Edit the rule git · one')
    const adder = screen.getByRole('group', { name: 'Add' })
    const clauses = () => within(screen.getByRole('list', { name: 'Only these of its calls' })).getAllByRole('listitem').map((item) => item.textContent)
    write(within(adder).getByLabelText('Its path'), '/w/a "b".txt')
    fireEvent.keyDown(within(adder).getByLabelText('Its path'), { key: 'Enter' })
    await waitFor(() => {
      expect(clauses()).toEqual(['the file is /w/a "b".txt (path)'])
    })
    await choose(within(adder).getByLabelText('Narrow it to'), 'some programs')
    write(within(adder).getByLabelText('Programs, with commas'), 'git add, ls')
    fireEvent.click(within(adder).getByRole('button', { name: 'Add' }))
    await waitFor(() => {
      expect(clauses()).toEqual(['the file is /w/a "b".txt (path)', 'it runs only git add, ls (command)'])
    })
    expect(screen.getByLabelText('Only if')).toHaveProperty('value', 'input.path == "/w/a \\"b\\".txt" && shell(input.command).names.all(n, n in ["git add","ls"])')
    fireEvent.click(screen.getAllByRole('button', { name: 'Remove' })[0] ?? document.body)
    await waitFor(() => {
      expect(clauses()).toEqual(['it runs only git add, ls (command)'])
    })
    press('Save')
    await waitFor(() => {
      expect(desk.ruleList.find(({ id }) => id === 'one')?.condition).toBe('shell(input.command).names.all(n, n in ["git add","ls"])')
    })
  })

  it('is CEL where it cannot be said in words, and then Advanced is open', async () => {
    desk.ruleList = [sampleRule({ id: 'one', toolName: 'one', toolPattern: null, serverId: 'git', condition: 'input.n > 3' })]
    await openRules(desk)
    press('Edit the rule git · one')
    await screen.findByText(/can only be said in CEL/)
    expect(screen.getByLabelText('Only if').closest('details')).toHaveProperty('open', true)
    expect(within(screen.getByRole('group', { name: 'Add' })).getByRole('button', { name: 'Add' })).toHaveProperty('disabled', true)
  })

  it('is not saved without what is written and cannot be added; it is told, and can be taken back', async () => {
    await openRules(desk)
    press('Edit the rule git · one')
    const form = screen.getByRole('form')
    const path = () => within(screen.getByRole('group', { name: 'Add' })).getByLabelText('Its path')
    write(path(), '/w/a')
    write(screen.getByLabelText('Only if'), 'input.n > 3')
    press('Save')
    await within(form).findByText(/^Not saved: what is written above cannot be added/)
    expect(path()).toHaveProperty('value', '/w/a')
    expect(desk.ruleList.find(({ id }) => id === 'one')?.condition).toBeNull()
    expect(path()).toHaveProperty('disabled', false)
    write(path(), '')
    press('Save')
    await waitFor(() => {
      expect(desk.ruleList.find(({ id }) => id === 'one')?.condition).toBe('input.n > 3')
    })
  })

  it('is saved with what is written before the desk has said the new CEL in words', async () => {
    await openRules(desk)
    press('Edit the rule git · one')
    write(within(screen.getByRole('group', { name: 'Add' })).getByLabelText('Its path'), '/w/a')
    write(screen.getByLabelText('Only if'), 'risk != "high"')
    press('Save')
    await waitFor(() => {
      expect(desk.ruleList.find(({ id }) => id === 'one')?.condition).toBe('risk != "high" && input.path == "/w/a"')
    })
  })
})
