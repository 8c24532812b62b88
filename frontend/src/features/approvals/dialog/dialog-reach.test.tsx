import { fireEvent, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { DeskError } from '../../../desk/desk-error'
import type { FakeDesk } from '../../../desk/fake-desk'
import type { PendingCall } from '../../../desk/types'
import { button, eachDialog, inert, press, tick, type DialogHost } from '../../../test/approval-host'
import { sampleCall, sampleClassPart, sampleCoverage, sampleKind } from '../../../test/samples'
import { armingMs } from '../answer/arming'

let desk: FakeDesk
let host: DialogHost

const git = sampleKind('git log', 'git status')
const armed = () => tick(armingMs.high + 10)
const scopes = () => screen.queryAllByRole('radio').map((radio) => (radio as HTMLInputElement).value)
const choose = (name: string | RegExp) => fireEvent.click(screen.getByRole('radio', { name }))
const lasts = async (span: string) => {
  fireEvent.click(screen.getByLabelText('For how long'))
  await tick(0)
  fireEvent.click(screen.getByRole('option', { name: span }))
}
const sent = () => desk.answers.map(({ answer: { scope, forSeconds } }) => [scope, forSeconds])

async function open(part: Partial<PendingCall> = {}, input = '{}') {
  desk.put(sampleCall({ serverId: 'shell', toolName: 'execute_command', ...git, ...part }), input)
  return host.open()
}

eachDialog((now, its) => {
  host = now
  desk = its
})

describe('an approval', () => {
  it('covers one call, unless the person says otherwise', async () => {
    await open()
    expect(scopes()).toEqual(['once', 'class', 'session'])
    expect(screen.getByRole('radio', { name: 'This call' })).toHaveProperty('checked', true)
    await armed()
    await press('Approve')
    expect(sent()).toEqual([[undefined, undefined]])
  })

  it.each([
    [{ code: 'commands', parts: [sampleClassPart('git log', '/w'), sampleClassPart('ls', '/w')] }, 'git log, ls by run on shell, in /w.'],
    [
      { code: 'commands', parts: [sampleClassPart('git log', '', { risk: 'low', writes: ['/w/x'] }), sampleClassPart('npm install', '', { chosen: ['lodash'] })] },
      'git log > /w/x (only reading), npm install lodash by run on shell.',
    ],
    [{ code: 'commands', parts: [sampleClassPart('ls', '')], serverId: null }, 'ls by run.'],
    [{}, 'run on shell.'],
    [{ folder: '/w' }, 'run on shell, in /w.'],
    [{ serverId: null }, 'run, a tool of the agent’s own.'],
    [{ code: 'resource', toolName: 'file:///a' }, 'the resource file:///a on shell.'],
    [{ code: 'of_tomorrow', text: 'what a newer desk says' }, 'what a newer desk says.'],
  ])('names what its kind lets pass: %o', async (part, words) => {
    const dialog = await open({ covers: { class: sampleCoverage({ serverId: 'shell', toolName: 'run', ...part }), session: null } })
    fireEvent.click(screen.getAllByRole('radio')[1] ?? dialog)
    expect(dialog.textContent).toContain(`Runs without asking until this ends: ${words}`)
    expect(dialog.textContent).toContain('High risk, code and other questions still ask.')
  })

  it.each([
    ['shell', 'everything on shell'],
    [null, 'every tool of the agent’s own'],
  ])('names whose tools the session lets pass: %o', async (serverId, words) => {
    const session = sampleCoverage({ code: serverId === null ? 'own_tools' : 'server', serverId, maxRisk: 'low' })
    const dialog = await open({ covers: { class: null, session } })
    choose(words)
    expect(dialog.textContent).toContain(`${words}. Only as long as it just reads`)
  })

  it.each([
    ['until the session ends', undefined],
    ['for 15 minutes', 900],
    ['for 1 hour', 3600],
  ])('of its kind lasts as long as is chosen: %s', async (span, seconds) => {
    await open()
    choose(/^git log ?, git status$/)
    await lasts(span)
    await armed()
    await press('Approve')
    expect(sent()).toEqual([['class', seconds]])
  })

  it('of one call has no time', async () => {
    await open()
    choose(/^git log ?, git status$/)
    await lasts('for 15 minutes')
    choose('This call')
    expect(screen.queryByLabelText('For how long')).toBeNull()
    await armed()
    await press('Approve')
    expect(sent()).toEqual([[undefined, undefined]])
  })

  it('of everything needs a second word, which arms anew', async () => {
    const dialog = await open()
    choose('everything on shell')
    await lasts('for 1 hour')
    await armed()
    await press('Approve')
    expect(desk.answers).toEqual([])
    expect(dialog.textContent).toContain('Approve everything on shell?')
    expect(dialog.textContent).toContain('everything on shell, for 1 hour')
    expect(document.activeElement?.tagName).toBe('DIV')
    expect(inert('Approve everything')).toBe(true)
    await press('Approve everything')
    fireEvent.keyDown(dialog, { key: 'Enter', ctrlKey: true })
    await tick(0)
    expect(desk.answers).toEqual([])
    await armed()
    await press('Approve everything')
    expect(sent()).toEqual([['session', 3600]])
  })

  it.each(['Back', 'Escape'])('of everything is thought better of: %s', async (way) => {
    const dialog = await open()
    choose('everything on shell')
    await armed()
    await press('Approve')
    if (way === 'Back') fireEvent.click(button('Back'))
    else fireEvent(dialog, new Event('cancel', { cancelable: true }))
    await tick(0)
    expect(host.later).toBe(0)
    expect(button('Decline')).toBeTruthy()
    expect(document.activeElement?.tagName).toBe('H2')
    expect(desk.answers).toEqual([])
  })

  it('of everything that the desk refused goes back, with the reason', async () => {
    await open()
    choose('everything on shell')
    await armed()
    await press('Approve')
    await armed()
    desk.failures.set('decide', new DeskError({ code: 'unavailable', message: '' }))
    await press('Approve everything')
    expect(screen.getByRole('alert').textContent).toContain('closing or busy')
    expect(button('Decline')).toBeTruthy()
  })

  it('of more is not offered at high risk', async () => {
    const dialog = await open({ risk: 'high', onlyOnce: 'high_risk', covers: null })
    expect(scopes()).toEqual([])
    expect(dialog.textContent).toContain('With high risk, approval covers this call only.')
    expect(button('Always…')).toBeTruthy()
  })

  it('is for one call where its kind cannot be told', async () => {
    const dialog = await open({ class: null, covers: null })
    expect(scopes()).toEqual([])
    expect(dialog.textContent).toContain('Approval covers this call only: its kind cannot be told for sure.')
    expect(button('Always…')).toBeTruthy()
  })

  it('falls back to one call when the risk rises', async () => {
    await open()
    choose('everything on shell')
    desk.put(sampleCall({ serverId: 'shell', toolName: 'execute_command', rev: 2, risk: 'high', onlyOnce: 'high_risk' }))
    await armed()
    await press('Approve')
    expect(sent()).toEqual([[undefined, undefined]])
  })

  it('of an edited input is for one call, whatever was chosen before', async () => {
    const dialog = await open({}, '{"command":"git status"}')
    choose(/^git log ?, git status$/)
    fireEvent.click(button('Edit the input'))
    const write = (value: string) => fireEvent.change(screen.getByLabelText(/^Input to approve instead/), { target: { value } })
    write('{"command":"git log"')
    await armed()
    expect(inert('Approve')).toBe(true)
    write('{"command":"git log"}')
    await tick(0)
    expect(scopes()).toEqual([])
    expect(dialog.textContent).toContain('With an edited input, approval covers this call only.')
    expect(screen.queryByRole('button', { name: 'Always…' })).toBeNull()
    expect(inert('Approve')).toBe(true)
    await armed()
    await press('Approve')
    expect(desk.answers[0]?.answer).toMatchObject({ approved: true, input: '{"command":"git log"}' })
    expect(sent()).toEqual([[undefined, undefined]])
  })
})

describe('a call that takes data', () => {
  const schema = { type: 'object', properties: { answer: { type: 'integer' } } }
  const field = () => screen.getByLabelText('Data for the agent')
  const write = (value: string) => fireEvent.change(field(), { target: { value } })

  it('shows what is asked for, and sends what was written, once', async () => {
    const dialog = await open({ resumeSchema: schema })
    expect(dialog.textContent).toContain('"answer"')
    expect(dialog.textContent).toContain('With data for the agent, approval covers this call only.')
    write('{"answer": 9007199254740993}')
    await armed()
    await press('Approve')
    expect(desk.answers[0]?.answer).toMatchObject({ approved: true, resumeData: '{"answer": 9007199254740993}' })
    expect(sent()).toEqual([[undefined, undefined]])
  })

  it('says what of it the desk does not check', async () => {
    const why = { rule: null, code: null, params: {}, reason: 'no rule applies' }
    const dialog = await open({
      resumeSchema: schema,
      why: { ...why, notChecked: ['/properties/answer/pattern', '/properties/a\u202eb/format'] },
    })
    expect(dialog.textContent).toContain('Not checked by the desk')
    expect(dialog.textContent).toContain('/properties/answer/pattern')
    expect(dialog.textContent).not.toContain('\u202e')
  })

  it('says nothing of that where all is checked', async () => {
    const dialog = await open({ resumeSchema: schema })
    expect(dialog.textContent).not.toContain('Not checked')
  })

  it('is not approved with what is not JSON', async () => {
    const dialog = await open({ resumeSchema: schema })
    write('{"answer":')
    await armed()
    await press('Approve')
    expect(desk.answers).toEqual([])
    expect(field().getAttribute('aria-invalid')).toBe('true')
    expect(dialog.textContent).toContain('The data are not JSON.')
  })

  it('shows at the field what the desk refused', async () => {
    await open({ resumeSchema: schema })
    write('{}')
    desk.failures.set('decide', new DeskError({ code: 'invalid', fault: { code: 'schema_unsatisfied', params: { error: 'missing property answer' }, field: 'resumeData' }, message: 'missing property answer' }))
    await armed()
    await press('Approve')
    expect(screen.getByRole('alert').textContent).toBe('The data do not fit what the agent asked for: missing property answer')
    expect(field().getAttribute('aria-describedby')).toContain(screen.getByRole('alert').id)
  })

  it('may be approved without any, and declined', async () => {
    await open({ resumeSchema: schema })
    write('not sent')
    await press('Decline')
    expect(desk.answers[0]?.answer).not.toHaveProperty('resumeData')
  })
})
