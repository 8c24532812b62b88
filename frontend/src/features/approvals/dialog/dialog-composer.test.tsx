import { fireEvent, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DeskError } from '../../../desk/desk-error'
import { FakeDesk } from '../../../desk/fake-desk'
import type { Matches, PendingCall, RuleForm } from '../../../desk/types'
import { button, DialogHost, inert, press, tick } from '../../../test/approval-host'
import { sampleCall, sampleKind, sampleOffer } from '../../../test/samples'
import { armingMs } from '../answer/arming'

let desk: FakeDesk
let host: DialogHost

const form = (part: Partial<RuleForm>): RuleForm => ({
  serverId: 'filesystem',
  toolName: null,
  toolPattern: null,
  effect: 'allow',
  priority: 7,
  enabled: true,
  note: '',
  ...part,
})
const offer = (part: Partial<RuleForm>, covers: Parameters<typeof sampleOffer>[1] = {}, past: Partial<Matches> = {}) => sampleOffer(form(part), covers, past)
const narrow = offer({ toolName: 'write_file', condition: 'input.path == "a"' }, { code: 'files', folder: '/home/mika' })
const wide = offer({ toolPattern: 'write_*', note: 'made here' }, { toolName: 'write_file' }, { calls: 3, approved: 2, declined: 1, maxRisk: 'medium' })
const save = 'Save the rule and approve'
const armed = () => tick(armingMs.high + 10)
const rules = () => desk.ruleList.map(({ toolName, toolPattern, note }) => ({ toolName, toolPattern, note }))

async function compose(part: Partial<PendingCall> = {}) {
  desk.put(sampleCall(part))
  const dialog = await host.open()
  fireEvent.click(button('Always…'))
  await tick(0)
  return dialog
}

beforeEach(() => {
  vi.useFakeTimers()
  desk = new FakeDesk()
  desk.widenings = [narrow, wide]
  desk.previewNow = { ...desk.previewNow, total: 1482, matched: 14, matchedDeclined: 2, counts: { 'ask>allow': 12 } }
  host = new DialogHost(desk)
  vi.spyOn(document, 'hasFocus').mockReturnValue(true)
})
afterEach(() => {
  vi.useRealTimers()
})

describe('always', () => {
  it('offers rules from narrow to wide, in words, with what they would have matched', async () => {
    const preview = vi.spyOn(desk, 'preview')
    const dialog = await compose()
    const offered = screen.getAllByRole('radio')
    expect(offered.map((radio) => radio.closest('label')?.textContent)).toEqual([
      'write_file on filesystem, in /home/mika',
      'write_file on filesystem',
    ])
    expect(offered[0]).toHaveProperty('checked', true)
    await tick(50)
    expect(dialog.textContent).toContain('Only if the file is a (path)')
    expect(dialog.textContent).toContain('Priority 7')
    expect(dialog.textContent).toContain('No past call would have matched.')
    expect(dialog.textContent).toContain('past calls: 3 · approved: 2 · declined: 1 · highest: Medium risk')
    for (const folded of dialog.querySelectorAll('details')) expect(folded.open).toBe(false)
    expect(within(dialog).getByRole('note').textContent).toContain('2 of them you declined.')
    expect(preview.mock.calls).toEqual([[{ put: [{ ...narrow.rule, method: null }] }]])
    expect(document.activeElement?.textContent).toBe('Always allow what?')
  })

  it.each([
    [{ unjudged: 2 }, ['2 past calls could not be judged'], []],
    [{ unjudged: 0 }, [], ['judged']],
  ])('says what it cannot tell of past calls: %j', async (of, said, unsaid) => {
    desk.previewNow = { ...desk.previewNow, ...of }
    const dialog = await compose()
    for (const words of said) expect(dialog.textContent).toContain(words)
    for (const words of unsaid) expect(dialog.textContent).not.toContain(words)
  })

  it('offers that one first which the desk says, and what a person chose stays', async () => {
    desk.widenings = [narrow, { ...wide, first: true }]
    await compose()
    const offered = screen.getAllByRole('radio')
    expect(offered[1]).toHaveProperty('checked', true)
    fireEvent.click(offered[0] as HTMLElement)
    expect(offered[0]).toHaveProperty('checked', true)
  })

  it('offers nothing that does not match the call', async () => {
    desk.widenings = [
      narrow,
      offer({ toolName: 'other' }),
      offer({ serverId: 'shell' }),
      offer({ toolPattern: 'read_*' }),
      offer({ effect: 'deny' }),
      wide,
    ]
    await compose()
    expect(screen.getAllByRole('radio')).toHaveLength(2)
  })

  it('offers nothing where there is nothing, and approves nothing then', async () => {
    desk.widenings = []
    const dialog = await compose()
    expect(dialog.textContent).toContain('No rule that would be safe to make can be offered for this call.')
    await armed()
    await press(save)
    expect([desk.ruleList, desk.answers]).toEqual([[], []])
  })

  it('commits the rule before the call is released, once only', async () => {
    const order: string[] = []
    const { createRule, decide } = { createRule: desk.createRule.bind(desk), decide: desk.decide.bind(desk) }
    vi.spyOn(desk, 'createRule').mockImplementation(async (rule) => {
      const saved = await createRule(rule)
      order.push('rule')
      return saved
    })
    vi.spyOn(desk, 'decide').mockImplementation((id, answer) => {
      order.push('answer')
      return decide(id, answer)
    })
    await compose({ ...sampleKind() })
    fireEvent.click(screen.getAllByRole('radio')[1] as HTMLElement)
    await tick(0)
    fireEvent.change(screen.getByLabelText('Note'), { target: { value: ' drafts only ' } })
    await armed()
    await press(save)
    expect(order).toEqual(['rule', 'answer'])
    expect(rules()).toEqual([{ toolName: null, toolPattern: 'write_*', note: 'drafts only' }])
    expect(desk.answers[0]?.answer).toEqual({ approved: true, reason: '', inputHash: 'sha256:call-1', rev: 1 })
    expect(host.beside).toEqual([{ identical: [], ruleSaved: true }])
  })

  it('answers for the one call, whatever reach was chosen before: the rule is the reach', async () => {
    desk.put(sampleCall({ ...sampleKind() }))
    await host.open()
    fireEvent.click(screen.getByRole('radio', { name: /^everything on/ }))
    fireEvent.click(button('Always…'))
    await armed()
    await press(save)
    expect(desk.answers[0]?.answer).not.toHaveProperty('scope')
  })

  it('keeps the note that the desk proposes', async () => {
    desk.widenings = [wide]
    await compose()
    expect(screen.getByLabelText('Note')).toHaveProperty('value', 'made here')
  })

  it('is armed like Approve, and anew for another rule', async () => {
    const dialog = await compose()
    expect(inert(save)).toBe(true)
    await press(save)
    fireEvent.keyDown(dialog, { key: 'Enter', ctrlKey: true })
    expect(desk.ruleList).toEqual([])
    await armed()
    expect(inert(save)).toBe(false)
    fireEvent.click(screen.getAllByRole('radio')[1] as HTMLElement)
    expect(inert(save)).toBe(true)
    await press(save)
    expect(desk.ruleList).toEqual([])
  })

  it('waits until what it would match was shown', async () => {
    desk.failures.set('preview', new DeskError({ code: 'unavailable', message: '' }))
    const dialog = await compose()
    await armed()
    expect(inert(save)).toBe(true)
    expect(within(dialog).getByRole('alert').textContent).toContain('closing or busy')
    desk.failures.clear()
    fireEvent.click(button('Try again'))
    await armed()
    expect(inert(save)).toBe(false)
  })

  it('says when no rules can be had, and tries again', async () => {
    desk.failures.set('widen', new DeskError({ code: 'unreachable', message: '' }))
    const dialog = await compose()
    expect(within(dialog).getByRole('alert').textContent).toContain('The desk does not answer')
    desk.failures.clear()
    fireEvent.click(button('Try again'))
    await tick(0)
    expect(screen.getAllByRole('radio')).toHaveLength(2)
  })

  it.each([
    ['widen', [narrow, wide]],
    ['widen', []],
    ['preview', [narrow, wide]],
  ] as const)('forgets that %s failed when it does not any more, by whatever way: %j', async (what, offered) => {
    desk.widenings = [...offered]
    desk.failures.set(what, new DeskError({ code: 'unreachable', message: '' }))
    const dialog = await compose()
    fireEvent.click(button('Back'))
    desk.failures.clear()
    fireEvent.click(button('Always…'))
    await tick(0)
    expect(screen.queryAllByRole('radio')).toHaveLength(offered.length)
    expect(within(dialog).queryByRole('alert')).toBeNull()
  })

  it('is saved once, be the reply to the first try lost', async () => {
    const create = desk.createRule.bind(desk)
    const lost = vi.spyOn(desk, 'createRule').mockImplementation(async (rule) => {
      if (desk.ruleList.some(({ id }) => id === rule.id)) throw new DeskError({ code: 'already_exists', message: '' })
      await create(rule)
      throw new DeskError({ code: 'unreachable', message: '' })
    })
    const dialog = await compose()
    await armed()
    await press(save)
    expect(within(dialog).getByRole('alert').textContent).toContain('The desk does not answer')
    await armed()
    await press(save)
    expect(rules()).toEqual([{ toolName: 'write_file', toolPattern: null, note: '' }])
    expect(host.beside).toEqual([{ identical: [], ruleSaved: true }])
    expect(lost.mock.calls[0]?.[0].id).toMatch(/^[0-9a-f]{32}$/)
  })

  it('is another rule where something of it was changed after the reply was lost', async () => {
    const create = desk.createRule.bind(desk)
    vi.spyOn(desk, 'createRule').mockImplementationOnce(async (rule) => {
      await create(rule)
      throw new DeskError({ code: 'unreachable', message: '' })
    })
    await compose()
    await armed()
    await press(save)
    fireEvent.change(screen.getByLabelText('Note'), { target: { value: 'other' } })
    await armed()
    await press(save)
    expect(desk.ruleList.map(({ id }) => id)).toHaveLength(new Set(desk.ruleList.map(({ id }) => id)).size)
    expect(rules().map(({ note }) => note)).toEqual(['', 'other'])
  })

  it('approves nothing when the rule cannot be saved, and says so where it was made', async () => {
    desk.failures.set('createRule', new DeskError({ code: 'already_exists', message: '' }))
    const dialog = await compose()
    await armed()
    await press(save)
    expect(desk.answers).toEqual([])
    const alert = within(dialog).getByRole('alert')
    expect(alert.textContent).toBe('This name is taken.')
    expect(alert.closest('section')?.textContent).toContain('Always allow what?')
    expect(button(save)).toBeTruthy()
  })

  it('says so when the rule stands and the call is not approved, and does not save it twice', async () => {
    desk.failures.set('decide', new DeskError({ code: 'not_armed', message: '' }))
    const dialog = await compose()
    await armed()
    await press(save)
    expect(within(dialog).getByRole('alert').textContent).toBe(
      'The rule is saved. This call is not approved:Look at it a moment longer, then answer.',
    )
    desk.failures.clear()
    await armed()
    await press('Approve')
    expect(desk.ruleList).toHaveLength(1)
    expect(desk.answers).toHaveLength(2)
  })

  it('is thought better of by Back and by Escape, and nothing is kept', async () => {
    const dialog = await compose()
    fireEvent.click(button('Back'))
    expect(button('Decline')).toBeTruthy()
    fireEvent.click(button('Always…'))
    await tick(0)
    fireEvent(dialog, new Event('cancel', { cancelable: true }))
    expect(button('Decline')).toBeTruthy()
    expect([host.later, desk.ruleList, desk.answers]).toEqual([0, [], []])
  })

  it('is not to be changed while the yes to it can be undone', async () => {
    desk.settingsNow = { ...desk.settingsNow, undoSeconds: 3 }
    await compose()
    await armed()
    await press(save)
    for (const radio of screen.getAllByRole('radio')) expect(radio.closest('fieldset')).toHaveProperty('disabled', true)
    expect(screen.getByLabelText('Note')).toHaveProperty('readOnly', true)
    await press(/^Undo/)
    for (const radio of screen.getAllByRole('radio')) expect(radio.closest('fieldset')).toHaveProperty('disabled', false)
    expect(screen.getByLabelText('Note')).toHaveProperty('readOnly', false)
  })

  it('saves nothing before the time to undo is over', async () => {
    desk.settingsNow = { ...desk.settingsNow, undoSeconds: 3 }
    await compose()
    await armed()
    await press(save)
    await tick(2000)
    await press(/^Undo/)
    await tick(5000)
    expect([desk.ruleList, desk.answers]).toEqual([[], []])
    await press(save)
    await tick(3000)
    expect([desk.ruleList.length, desk.answers.length]).toEqual([1, 1])
  })
})
