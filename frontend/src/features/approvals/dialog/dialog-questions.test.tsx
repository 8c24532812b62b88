import { fireEvent, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { FakeDesk } from '../../../desk/fake-desk'
import type { PendingCall } from '../../../desk/types'
import { eachDialog, press, tick, type DialogHost } from '../../../test/approval-host'
import { sampleCall } from '../../../test/samples'
import { answerFields } from '../answer/answer-fields'
import { armingMs } from '../answer/arming'

let desk: FakeDesk
let host: DialogHost

const armed = () => tick(armingMs.high + 10)
const data = () => desk.answers[0]?.answer.resumeData

async function open(part: Partial<PendingCall>) {
  desk.put(sampleCall({ serverId: null, toolName: 'AskUserQuestion', resumeRequired: true, ...part }), '{}')
  return host.open()
}

eachDialog((now, its) => {
  host = now
  desk = its
})

const options = [{ const: 'A', description: 'the first' }, { const: 'B', description: '' }, { type: 'string', minLength: 1 }]
const questions = {
  type: 'object',
  required: ['Which one?', 'All of them?'],
  properties: {
    'Which one?': { title: 'Pick', anyOf: options },
    'All of them?': { type: 'array', minItems: 1, items: { anyOf: options } },
  },
}
const one = (name: string) => screen.getByRole('radio', { name: new RegExp(name) })
const many = (name: string) => screen.getByRole('checkbox', { name: new RegExp(name) })

describe('questions', () => {
  it('are a form, and answered before a yes', async () => {
    const dialog = await open({ resumeSchema: questions })
    expect(screen.queryByLabelText('Data for the agent')).toBeNull()
    expect(dialog.textContent).toContain('the first')
    await armed()
    await press('Approve')
    expect(desk.answers).toEqual([])
    expect(dialog.textContent).toContain('Answer the questions first.')
    fireEvent.click(one('B'))
    fireEvent.click(many('B'))
    fireEvent.click(many('A'))
    await armed()
    await press('Approve')
    expect(data()).toBe('{"Which one?":"B","All of them?":["A","B"]}')
  })

  it('take words of the person’s own in the place of a choice, or beside several', async () => {
    await open({ resumeSchema: questions })
    const [first, second] = screen.getAllByLabelText('In your own words')
    if (!first || !second) throw new Error('there is no place for words')
    fireEvent.click(one('A'))
    fireEvent.change(first, { target: { value: 'neither' } })
    expect(one('A')).toHaveProperty('checked', false)
    fireEvent.click(many('A'))
    fireEvent.change(second, { target: { value: 'C' } })
    await armed()
    await press('Approve')
    expect(data()).toBe('{"Which one?":"neither","All of them?":["A","C"]}')
  })

  it('may be declined without answers', async () => {
    await open({ resumeSchema: questions })
    await press('Decline')
    expect(desk.answers[0]?.answer.approved).toBe(false)
  })

  it('show what hides in their words', async () => {
    const dialog = await open({ resumeSchema: { type: 'object', properties: { 'a\u202eb': { type: 'string', description: '\u001b[31mred' } } } })
    expect(['\u202e', '\u001b'].filter((hidden) => dialog.textContent.includes(hidden))).toEqual([])
  })
})

describe('a plan', () => {
  const schema = (...modes: string[]) => ({
    type: 'object',
    required: ['mode'],
    properties: { mode: { type: 'string', enum: modes, default: 'default' } },
  })

  it('goes on asking, unless the person says otherwise', async () => {
    await open({ toolName: 'ExitPlanMode', resumeSchema: schema('default', 'acceptEdits') })
    expect(one('Keep asking')).toHaveProperty('checked', true)
    expect(screen.getAllByRole('radio')).toHaveLength(2)
    await armed()
    await press('Approve')
    expect(data()).toBe('{"mode":"default"}')
  })

  it('names the mode that asks nothing', async () => {
    await open({ toolName: 'ExitPlanMode', resumeSchema: schema('default', 'acceptEdits', 'bypassPermissions') })
    expect(screen.getByText(/approval covers this call only/)).toBeTruthy()
    fireEvent.click(one('bypass'))
    expect(screen.getByText('everything that the agent does in this session, of any risk')).toBeTruthy()
    expect(screen.queryByText(/approval covers this call only/)).toBeNull()
    await armed()
    await press('Approve')
    expect(data()).toBe('{"mode":"bypassPermissions"}')
  })
})

describe('a form', () => {
  it.each([
    ['a text', { type: 'string' }, true],
    ['names of choices', { type: 'string', enum: ['a'], enumNames: ['A'] }, true],
    ['choices with titles', { type: 'string', oneOf: [{ const: 'a', title: 'A' }] }, true],
    ['a number', { type: 'integer' }, false],
    ['a choice that is no text', { enum: [1, 'a'] }, false],
    ['an object', { type: 'object', properties: {} }, false],
    ['a list of texts', { type: 'array', items: { type: 'string' } }, false],
    ['one of other schemas', { anyOf: [{ type: 'object' }] }, false],
    ['nothing', true, false],
  ])('asks for %s: %o', (_, property, is) => {
    expect(answerFields({ type: 'object', properties: { a: property } }) !== null).toBe(is)
  })

  it('does not begin with the mode that asks nothing', () => {
    const property = { type: 'string', enum: ['default', 'bypassPermissions'], default: 'bypassPermissions' }
    expect(answerFields({ type: 'object', properties: { mode: property } })?.[0]?.preset).toBe('')
  })

  it.each([null, true, {}, { type: 'object' }, { type: 'object', properties: {} }, { type: 'string' }])('is none of %o', (schema) => {
    expect(answerFields(schema)).toBeNull()
  })
})

describe('who asks and runs', () => {
  it('is told with the helper that the agent gave the work to', async () => {
    const dialog = await open({ resumeSchema: null, resumeRequired: false, agentName: 'claude', agentSubagent: 'Expl\u200bore' })
    const title = screen.getByRole('heading', { level: 2 })
    expect(title.textContent).toMatch(/^claude › Expl.*ore wants/)
    expect(dialog.textContent).toContain('hidden')
  })

  it('may take no other input, which is then not offered', async () => {
    await open({ resumeSchema: null, resumeRequired: false, inputFixed: true })
    expect(screen.getByRole('button', { name: 'Approve' })).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Edit the input' })).toBeNull()
  })
})
