import { describe, expect, it } from 'vitest'
import { sampleCall, sampleClassPart, sampleKind } from '../../../test/samples'
import { asAnswer, bypasses, coverageOf, onlyOnce, scopesFor } from './reach'

const kind = sampleKind('git log')

describe('how far an approval may reach', () => {
  it.each([
    ['a call of a known kind', sampleCall(kind), false, ['once', 'class', 'session'], null],
    ['one of no known kind', sampleCall({ covers: { class: null, session: kind.covers?.session ?? null } }), false, ['once', 'session'], null],
    ['one of high risk', sampleCall({ class: kind.class, risk: 'high', onlyOnce: 'high_risk' }), false, ['once'], 'high_risk'],
    ['one of an opaque line', sampleCall({ onlyOnce: 'opaque' }), false, ['once'], 'opaque'],
    ['one with a reason of a newer desk', sampleCall({ ...kind, onlyOnce: 'of_tomorrow' }), false, ['once'], 'kind'],
    ['one of which the desk says nothing', sampleCall(), false, ['once'], 'kind'],
    ['one with an edited input', sampleCall(kind), true, ['once'], 'edited'],
    ['one that takes data', sampleCall({ ...kind, resumeSchema: { type: 'object' } }), false, ['once'], 'data'],
    ['one that takes any data', sampleCall({ ...kind, resumeSchema: true }), false, ['once'], 'data'],
  ] as const)('%s', (_, call, edited, scopes, why) => {
    expect(scopesFor(call, edited)).toEqual(scopes)
    expect(onlyOnce(call, edited)).toBe(why)
  })

  it('is nothing beside the call for this call alone', () => {
    expect(coverageOf(sampleCall(kind), 'once')).toBeNull()
    expect(coverageOf(sampleCall(kind), 'class')?.params.parts).toEqual([sampleClassPart('git log', '/home/mika')])
  })

  it('is said in the answer only where it is wider', () => {
    expect(asAnswer({ scope: 'once', forSeconds: 900 })).toEqual({})
    expect(asAnswer({ scope: 'class', forSeconds: null })).toEqual({ scope: 'class' })
    expect(asAnswer({ scope: 'session', forSeconds: 3600 })).toEqual({ scope: 'session', forSeconds: 3600 })
  })

  it.each([
    ['a choice of the plan', { enum: ['default', 'bypassPermissions'] }, {}, true],
    ['a text of the plan', { type: 'string' }, {}, false],
    ['another choice', { enum: ['default'] }, {}, false],
    ['a choice of another tool', { enum: ['bypassPermissions'] }, { toolName: 'Other' }, false],
    ['a choice of a server', { enum: ['bypassPermissions'] }, { serverId: 'files' }, false],
  ] as const)('is the whole session for the mode that asks nothing only where the desk takes it so: %s', (_, mode, other, whole) => {
    const plan = sampleCall({ serverId: null, toolName: 'ExitPlanMode', resumeSchema: { type: 'object', properties: { mode } }, ...other })
    expect(bypasses(plan, '{"mode":"bypassPermissions"}')).toBe(whole)
    expect(bypasses(plan, '{"mode":"default"}')).toBe(false)
    expect(bypasses({ ...plan, resumeSchema: true }, '{"mode":"bypassPermissions"}')).toBe(false)
  })
})
