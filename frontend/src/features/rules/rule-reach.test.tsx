import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { nothingChanged, nothingNew } from '../../desk/fake-answers'
import { FakeDesk } from '../../desk/fake-desk'
import type { Finding, MadeCall, Query, ReachRule } from '../../desk/types'
import { choose } from '../../test/choose'
import { openRules, write } from '../../test/rules-page'
import { sampleRule } from '../../test/samples'

let desk: FakeDesk

beforeEach(() => {
  desk = new FakeDesk()
  desk.ruleList = [sampleRule({ condition: 'input.path.startsWith("/srv")' }), sampleRule({ id: 'rest', serverId: null, toolPattern: null, effect: 'ask', priority: 0 })]
})

const made: MadeCall = {
  decision: 'allow',   serverId: 'filesystem', method: 'tools/call', toolName: 'read_example', input: '{"command":"git push"}', agentId: '', agentName: 'claude', sessionId: '', cwd: '/srv',
}
const row = (part: Partial<ReachRule>): ReachRule => ({ ruleId: 'rule-1', answer: 'no', code: 'condition_false', params: {}, by: null, message: 'in the words of the desk', example: null, ...part })

async function open(): Promise<HTMLElement> {
  await openRules(desk)
  fireEvent.click(await screen.findByRole('button', { name: /^What can pass/ }))
  return screen.findByRole('region', { name: 'What can pass?' })
}

describe('what can pass', () => {
  it('asks for all calls at first, and for those that are described a moment after the last letter', async () => {
    const panel = await open()
    expect(document.activeElement).toBe(within(panel).getByLabelText('Commands in the line'))
    await within(panel).findByText('No rule lets such a call pass, whatever its input.')
    expect(desk.reached).toEqual([{}])
    write(within(panel).getByLabelText('Commands in the line'), ' git  push, rm ,')
    write(within(panel).getByLabelText('Tool name'), 'run')
    await choose(within(panel).getByLabelText('Risk'), 'High risk')
    await waitFor(() => {
      expect(desk.reached.at(-1)).toEqual({ names: ['git push', 'rm'], toolName: 'run', risk: 'high' })
    })
    expect(desk.reached.length).toBeLessThan(4)
  })

  it('opens an example in the tester as it is', async () => {
    desk.reachNow = { answer: 'yes', total: 3, rules: [row({ answer: 'yes', code: 'allows', example: made }), row({ ruleId: 'rest', code: 'earlier_rule', by: 'rule-1' })] }
    const queries: Query[] = []
    desk.evaluate = (...args: unknown[]) => {
      queries.push(args[0] as Query)
      return Promise.resolve(desk.verdictNow)
    }
    const panel = await open()
    await within(panel).findByText('Can pass')
    expect(panel.textContent).toContain('For example filesystem · read_example {"command":"git push"} · claude · /srv')
    expect(panel.textContent).toContain('2 rules cannot let such a call pass')
    expect(panel.textContent).toContain('Before it, 1. filesystem · read_* decides all such calls.')
    fireEvent.click(within(panel).getByRole('button', { name: 'Try this call' }))
    const tester = await screen.findByRole('region', { name: 'Try a call' })
    expect(within(tester).getByLabelText<HTMLInputElement>('Tool name').value).toBe('read_example')
    await waitFor(() => {
      expect(queries).toEqual([{ serverId: 'filesystem', method: 'tools/call', toolName: 'read_example', agentName: 'claude', cwd: '/srv', input: '{"command":"git push"}' }])
    })
  })

  it('says what could not be told, of which rule, and what a newer desk says in its own words', async () => {
    const part = 'size(input) > 3'
    desk.reachNow = { answer: 'undecided', total: 2, rules: [
      row({ answer: 'undecided', code: 'condition', by: 'rule-1', params: { part } }),
      row({ ruleId: 'rest', answer: 'undecided', code: 'condition', by: 'rule-1', params: { part } }),
      row({ ruleId: 'other', answer: 'undecided', code: 'newer' }),
    ] }
    const panel = await open()
    await within(panel).findByText('Not decided')
    const rows = within(panel).getAllByRole('listitem').map(({ textContent }) => textContent)
    expect(rows).toEqual([
      `1. filesystem · read_*It cannot be told when this part of the condition of 1. filesystem · read_* is true: ${part}`,
      `2. any server · every toolIt cannot be told when this part of the condition of 1. filesystem · read_* is true: ${part}`,
      'otherin the words of the desk',
    ])
  })
})

describe('a condition that looks at a piece of a text', () => {
  const safe = 'under(input.path, "/srv")'
  const finding: Finding = {
    ruleId: 'rule-1', kind: 'slips_by', by: null, code: 'slips_by_path', message: 'x',
    params: { part: 'input.path.startsWith("/srv")', slip: '/srv-secret/example', effect: 'allow', outcome: 'allow', safe },
  }

  it('is told with what slips by, and opens in the editor with the safe form, unsaved', async () => {
    desk.findings = [finding]
    await openRules(desk)
    expect(await screen.findByText(/looks at a piece of the path/)).toBeTruthy()
    expect(document.body.textContent).toContain('/srv-secret/example slips by')
    fireEvent.click(screen.getByRole('button', { name: 'Write it safely' }))
    const field = await screen.findByLabelText<HTMLTextAreaElement>('Only if')
    expect(field.value).toBe(safe)
    expect(desk.ruleList[0]?.condition).toBe('input.path.startsWith("/srv")')
  })

  it('is told while it is written, and so is whether anything is newly allowed', async () => {
    desk.findings = [finding]
    desk.previewNow = { ...nothingChanged, narrower: { answer: 'no', ruleId: 'rule-1', part: '', example: made } }
    await openRules(desk)
    fireEvent.click(await screen.findByRole('button', { name: 'Edit the rule filesystem · read_*' }))
    const form = await screen.findByRole('form', { name: /Edit/ })
    expect(await within(form).findByText('Allows calls that were not allowed before')).toBeTruthy()
    expect(form.textContent).toContain('read_example {"command":"git push"}')
    fireEvent.click(await within(form).findByRole('button', { name: 'Write it safely' }))
    expect(within(form).getByLabelText<HTMLTextAreaElement>('Only if').value).toBe(safe)
    desk.previewNow = { ...nothingChanged, narrower: nothingNew }
    write(within(form).getByLabelText('Only if'), 'false')
    expect(await within(form).findByText('Allows nothing that was not allowed before')).toBeTruthy()
  })
})
