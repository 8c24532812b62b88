import { setFlagsFromString } from 'node:v8'
import { describe, expect, it } from 'vitest'
import { read } from './read'

const entry = { key: 'a', folder: '', state: 'left', off: false, reason: 'it does', hook: false, serverId: '', missesLikely: [], missesOthers: [], limit: '' }
const file = { id: 'f', name: 'Cursor', path: '/c', state: 'left', error: '', entries: [], move: null, back: null }

describe('what the desk says of clients’ files', () => {
  it('has why an entry is left, what is off, and what is left over', () => {
    const why = { code: 'signs_in', field: 'auth', name: '', value: '' }
    const said = read('ClientList', { machine: 'm', program: '/p', leftovers: ['old'], files: [{ ...file, entries: [{ ...entry, why }, { ...entry, why: null, state: 'direct', off: true }] }] })
    expect(said.leftovers).toEqual(['old'])
    expect(said.files[0]?.entries).toEqual([{ ...entry, why }, { ...entry, why: null, state: 'direct', off: true }])
  })

  it('has why an entry, or its file, is not put back', () => {
    const why = { code: 'other_name', field: '', name: 'mine', value: '' }
    const back = { shown: '', error: 'it is stuck', why, entries: [{ key: 'a', outcome: 'conflict', reason: 'it is', why }, { key: 'b', outcome: 'back', reason: '', why: null }], copies: [], theirs: { lines: [] }, difference: { lines: [] } }
    const put = (of: object) => read('ClientList', { machine: 'm', program: '/p', files: [{ ...file, back: of }] }).files[0]?.back
    expect(put(back)).toMatchObject({ error: 'it is stuck', why, entries: back.entries })
    expect(put({ ...back, why: undefined, entries: [{ key: 'a', outcome: 'conflict', reason: 'it is' }] })).toMatchObject({ why: null, entries: [{ reason: 'it is', why: null }] })
  })

  it('need not say what there is none of', () => {
    const said = read('ClientList', { machine: 'm', program: '/p', files: [{ ...file, entries: [entry] }] })
    expect(said.leftovers).toEqual([])
    expect(said.files[0]?.entries[0]).toEqual({ ...entry, why: null })
  })
})

describe('an answer', () => {
  it('has nothing that no schema names, and nothing of its own kind where a list, a text or a number is left out', () => {
    const settings = read('Settings', { newer: 1, reads: { resources: 'ask', prompts: 'deny' }, window: { sound: false }, patience: null })
    expect(settings).not.toHaveProperty('newer')
    expect(settings).toMatchObject({ undoSeconds: 0, language: '', patience: {}, brake: null, window: { popUp: true, sound: false, quiet: false } })
  })

  it.each([
    ['a list', 'GrantsOutBody', { grants: {} }],
    ['a text', 'SecretsNotice', { where: 1, trouble: '' }],
    ['a number', 'Retention', { journalDays: '1' }],
    ['true or false', 'HealthOutBody', { ok: 'yes' }],
    ['an object', 'RuleOutBody', { rule: null }],
    ['an object', 'SignIn', []],
    ['allow or ask or deny', 'Reads', { resources: 'newer', prompts: 'ask' }],
    ['once or class or session or mode', 'GrantsOutBody', { grants: [{ id: 'g', scope: '' }] }],
  ] as const)('that has another thing than %s is refused', (wanted, name, value) => {
    expect(() => read(name, value)).toThrow(`instead of ${wanted} (`)
  })

  it.each([
    [undefined, 'medium'],
    ['', 'medium'],
    ['low', 'low'],
    ['newer', 'high'],
  ])('takes the risk %j as %s', (said, taken) => {
    expect(read('ToolLevel', { toolName: 't', risk: said }).risk).toBe(taken)
  })

  it('has the values of a code as texts or numbers', () => {
    expect(read('RiskReason', { code: 'x', params: { n: 3, on: true, text: 'a' }, text: '' }).params).toEqual({ n: 3, on: 'true', text: 'a' })
  })

  it('has no hash table for each call: a list of many would take a multiple of the memory', () => {
    setFlagsFromString('--allow-natives-syntax')
    const isSmall = new Function('value', 'return %HasFastProperties(value)') as (value: object) => boolean // what V8 alone knows
    const sent = '{"id":"a","rev":1,"shownRev":1,"status":"denied","toolName":"t","agentId":"b","runId":"r","toolCallId":"c","inputHash":"sha256:d","createdAt":"2026-01-01T00:00:00Z","sessionId":"s","agentName":"n","method":"tools/call","risk":"low"}'
    const { calls } = read('ListCallsOutBody', JSON.parse(`{"desk":"d","rev":1,"now":"","calls":[${Array(1000).fill(sent).join(',')}]}`))
    expect(calls.filter(isSmall)).toHaveLength(1000)
    const table: Record<string, number> = {}
    for (let n = 0; n < 50; n++) table[`field ${String(n)}`] = n
    expect(isSmall(table)).toBe(false)
  })
})
