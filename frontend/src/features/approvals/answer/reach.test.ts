import { describe, expect, it } from 'vitest'
import { sampleCall } from '../../../test/samples'
import { asAnswer, onlyOnce, scopesFor } from './reach'

const kind = { serverId: 'shell', toolName: 'execute_command', command: 'git' }

describe('how far an approval may reach', () => {
  it.each([
    ['a call of a known kind', sampleCall({ class: kind }), false, ['once', 'class', 'session'], null],
    ['one of high risk', sampleCall({ class: kind, risk: 'high' }), false, ['once', 'class'], null],
    ['one of no known kind', sampleCall(), false, ['once'], 'kind'],
    ['one with an edited input', sampleCall({ class: kind }), true, ['once'], 'edited'],
    ['one that takes data', sampleCall({ class: kind, resumeSchema: { type: 'object' } }), false, ['once'], 'data'],
    ['one that takes any data', sampleCall({ class: kind, resumeSchema: true }), false, ['once'], 'data'],
  ] as const)('%s', (_, call, edited, scopes, why) => {
    expect(scopesFor(call, edited)).toEqual(scopes)
    expect(onlyOnce(call, edited)).toBe(why)
  })

  it('is said in the answer only where it is wider', () => {
    expect(asAnswer({ scope: 'once', forSeconds: 900 })).toEqual({})
    expect(asAnswer({ scope: 'class', forSeconds: null })).toEqual({ scope: 'class' })
    expect(asAnswer({ scope: 'session', forSeconds: 3600 })).toEqual({ scope: 'session', forSeconds: 3600 })
  })
})
