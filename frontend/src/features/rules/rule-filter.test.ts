import { describe, expect, it } from 'vitest'
import { sampleRule } from '../../test/samples'
import { isFiltering, noFilter, wanted, type RuleFilter } from './rule-filter'

const now = Date.parse('2026-06-01T00:00:00.000Z')
const rules = [
  sampleRule({ id: 'a1', toolPattern: 'read_*', note: 'Papers of the Office', lastHitAt: '2026-05-20T00:00:00.000Z' }),
  sampleRule({ id: 'b2', serverId: 'git', toolPattern: null, toolName: 'push', effect: 'deny', lastHitAt: '2026-01-20T00:00:00.000Z' }),
  sampleRule({ id: 'c3', serverId: null, toolPattern: null, effect: 'ask', createdAt: '2026-05-25T00:00:00.000Z' }),
  sampleRule({ id: 'd4', serverId: 'git', enabled: false, createdAt: '2026-05-25T00:00:00.000Z' }),
  sampleRule({ id: 'e5', serverId: '*', expiresAt: '2026-05-31T00:00:00.000Z', createdAt: '2026-05-25T00:00:00.000Z' }),
]

const found = (part: Partial<RuleFilter>) => rules.filter(wanted({ ...noFilter, ...part }, new Set(['b2', 'e5']), now)).map(({ id }) => id).join(' ')

describe('looking for rules', () => {
  it.each([
    [{}, 'a1 b2 c3 d4 e5'],
    [{ text: 'GIT' }, 'b2 d4'],
    [{ text: 'push' }, 'b2'],
    [{ text: 'read_' }, 'a1 d4 e5'],
    [{ text: 'office papers' }, 'a1'],
    [{ text: 'c3' }, 'c3'],
    [{ text: ' git  read ' }, 'd4'],
    [{ text: 'nothing' }, ''],
    [{ effect: 'deny' }, 'b2'],
    [{ server: '=git' }, 'b2 d4'],
    [{ server: '*' }, 'c3'], // any server, which is not the server called *
    [{ server: '=*' }, 'e5'],
    [{ unused: true }, 'b2'], // a new rule had no time to be used
    [{ shadowed: true }, 'b2 e5'],
    [{ resting: true }, 'd4 e5'],
    [{ resting: true, shadowed: true, text: 'read' }, 'e5'],
  ] as const)('by %j finds %s', (part, ids) => {
    expect(found(part)).toBe(ids)
  })

  it('knows whether anything is looked for', () => {
    expect(isFiltering(noFilter)).toBe(false)
    expect(isFiltering({ ...noFilter, text: '  ' })).toBe(false)
    for (const part of [{ text: 'x' }, { effect: 'ask' }, { server: '*' }, { unused: true }, { shadowed: true }, { resting: true }] as const) expect(isFiltering({ ...noFilter, ...part })).toBe(true)
  })
})
