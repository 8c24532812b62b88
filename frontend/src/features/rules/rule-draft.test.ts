import { describe, expect, it } from 'vitest'
import { sampleRule } from '../../test/samples'
import { allowsEverything, changesOf, draftOf, formOf, isExpired, newDraft, rebased } from './rule-draft'

describe('a draft', () => {
  it.each([sampleRule(), sampleRule({ limit: { calls: 2, seconds: 90 } }), sampleRule({ condition: 'true', expiresAt: '2031-05-06T07:08:09.123Z', serverId: null, toolPattern: null, toolName: 'x', note: ' kept ', enabled: false, effect: 'deny', priority: -3 })])('of a rule changes nothing of it', (rule) => {
    const form = formOf(draftOf(rule), rule)
    expect(typeof form === 'object' && changesOf(form, rule)).toEqual({})
  })

  it('says which field is no form', () => {
    expect(formOf({ ...newDraft, priority: '1.5' }, null)).toBe('priority')
    for (const expiresAt of ['x', '2030-13-01T00:00', '2030-02-30', '12:30', '2030-01-01T99:00']) expect(formOf({ ...newDraft, expiresAt }, null)).toBe('expiresAt')
  })

  it('takes times in the person’s own zone, and blanks for none', () => {
    expect(formOf({ ...newDraft, expiresAt: ' 2030-12-31 23:59:58 ', condition: '  ' }, null)).toMatchObject({ expiresAt: new Date(2030, 11, 31, 23, 59, 58).toISOString(), condition: null })
    expect(formOf({ ...newDraft, expiresAt: ' ' }, sampleRule({ expiresAt: '2030-01-01T00:00:00.000Z' }))).toMatchObject({ expiresAt: null })
  })

  it('has a limit where it allows: whole numbers, in the largest unit that fits', () => {
    const limited = (seconds: number) => draftOf(sampleRule({ limit: { calls: 5, seconds } }))
    expect([7200, 90, 60].map((seconds) => [limited(seconds).limitTime, limited(seconds).limitUnit])).toEqual([['2', 'hours'], ['90', 'seconds'], ['1', 'minutes']])
    const draft = { ...newDraft, effect: 'allow' as const, limitCalls: ' 3 ', limitTime: '2', limitUnit: 'minutes' as const }
    expect(formOf(draft, null)).toMatchObject({ limit: { calls: 3, seconds: 120 } })
    expect(formOf({ ...draft, effect: 'ask' }, null)).toMatchObject({ limit: null })
    expect(formOf({ ...draft, limitCalls: ' ' }, null)).toMatchObject({ limit: null })
    for (const part of [{ limitCalls: '0' }, { limitCalls: '1.5' }, { limitCalls: '1000001' }, { limitTime: '0' }, { limitTime: 'x' }, { limitTime: '721', limitUnit: 'hours' as const }])
      expect(formOf({ ...draft, ...part }, null), JSON.stringify(part)).toBe('limit')
  })

  it('over another rule keeps what was touched, and shows the rest of the other', () => {
    const mine = { ...draftOf(sampleRule()), note: 'mine', effect: 'deny' as const }
    const theirs = sampleRule({ note: 'theirs', priority: 7, condition: 'input.x', enabled: false })
    expect(rebased(mine, sampleRule(), theirs)).toEqual({ ...draftOf(theirs), note: 'mine', effect: 'deny' })
  })
})

describe('a rule', () => {
  it.each([
    [{ serverId: null, toolPattern: null }, true],
    [{ serverId: null, toolPattern: '**' }, true],
    [{ serverId: null, toolPattern: '*', condition: 'input.x' }, false],
    [{ serverId: null, toolPattern: '*', effect: 'ask' }, false],
    [{ serverId: null, toolPattern: 'a*' }, false],
    [{ toolPattern: null }, false],
    [{ serverId: null, toolName: 'x' }, false],
  ] as const)('with %j allows everything: %s', (part, all) => {
    expect(allowsEverything(sampleRule(part))).toBe(all)
  })

  it('is over at its time', () => {
    const at = '2026-01-01T00:00:00.000Z'
    expect([at, null].map((expiresAt) => isExpired({ expiresAt }, Date.parse(at)))).toEqual([true, false])
    expect(isExpired({ expiresAt: at }, Date.parse(at) - 1)).toBe(false)
  })
})
