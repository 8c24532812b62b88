import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sampleCall, sampleRule } from '../test/samples'
import { DeskError } from './desk-error'
import { openDesk } from './open-desk'
import { WailsDesk } from './wails-desk'

/** The window's bindings, each answering from a table. */
function bind(answers: Record<string, unknown>) {
  const asked: unknown[][] = []
  const App = new Proxy({}, { get: (_, method: string) => (...args: unknown[]) => {
    asked.push([method, ...args])
    return Promise.resolve(JSON.stringify(answers[method] ?? { ok: false, error: { code: 'internal', message: method } }))
  } })
  vi.stubGlobal('go', { main: { App } })
  return asked
}

const ok = (value: unknown) => ({ ok: true, value })

describe('WailsDesk', () => {
  const hints: ((event: unknown) => void)[] = []
  beforeEach(() => {
    vi.stubGlobal('runtime', { EventsOnMultiple: (name: string, tell: (event: unknown) => void) => {
      expect(name).toBe('desk')
      hints.push(tell)
      return () => hints.splice(0)
    } })
  })
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  it('is the face of a page in the window, without signing in', async () => {
    bind({})
    expect((await openDesk()).state()).toHaveProperty('desk', expect.any(WailsDesk))
  })

  it('asks for the queue and gives inputs as they were sent', async () => {
    bind({ Pending: ok({ rev: 3, items: [{ ...sampleCall(), input: null }] }), Input: ok('{"n":9007199254740993, "a":"\\u202e"}') })
    const desk = new WailsDesk()
    expect(await desk.pending()).toEqual({ rev: 3, items: [sampleCall()] })
    expect(await desk.input('call-1')).toBe('{"n":9007199254740993, "a":"\\u202e"}')
  })

  it('hands over what was answered and edited', async () => {
    const saved = ok({ rule: sampleRule(), pendingMatches: 1 })
    const asked = bind({ Decide: ok({ call: sampleCall({ status: 'approved' }), repeated: false }), UpdateRule: saved, Calls: ok({ calls: [], next: '9' }), DeleteAgent: ok(null) })
    const desk = new WailsDesk()
    const answer = { approved: true, reason: '', inputHash: 'h', rev: 2 }
    expect((await desk.decide('call-1', answer)).call.status).toBe('approved')
    expect((await desk.updateRule('rule-1', { note: 'x' }, 'seen')).pendingMatches).toBe(1)
    expect((await desk.calls({ cursor: null })).next).toBe('9')
    await desk.deleteAgent('a')
    expect(asked[0]).toEqual(['Decide', 'call-1', JSON.stringify(answer)])
    expect(asked[1]).toEqual(['UpdateRule', 'rule-1', 'seen', '{"note":"x"}'])
    expect(asked[2]).toEqual(['Calls', ''])
  })

  it('resolves, releases and holds', async () => {
    const asked = bind({ Resolve: ok({ call: sampleCall({ status: 'failed' }) }), Release: ok({ released: 2 }), Hold: ok({ on: true }), Settings: ok({ hold: true, language: '' }) })
    const desk = new WailsDesk()
    expect((await desk.resolve('call-1', 'close')).status).toBe('failed')
    expect(await desk.release('rule-1')).toBe(2)
    await desk.hold(true)
    expect(await desk.settings()).toEqual({ hold: true })
    expect(asked).toEqual([['Resolve', 'call-1', 'close'], ['Release', 'rule-1'], ['Hold', true], ['Settings']])
  })

  it('throws an error that came as a value, with all it says', async () => {
    bind({ Decide: { ok: false, error: { code: 'already_decided', message: 'before', call: sampleCall({ status: 'declined' }) } } })
    const error: unknown = await new WailsDesk().decide('call-1', { approved: true, reason: '', inputHash: 'h', rev: 1 }).catch((e: unknown) => e)
    expect(error).toBeInstanceOf(DeskError)
    expect(error).toMatchObject({ code: 'already_decided', message: 'before', call: { status: 'declined' } })
  })

  it('takes events of any shape as hints', () => {
    bind({})
    const kinds: string[] = []
    const stop = new WailsDesk().subscribe(({ kind }) => kinds.push(kind))
    for (const event of ['call.created', { kind: 'rules.changed' }, null, 7]) hints[0]?.(event)
    expect(kinds).toEqual(['call.created', 'rules.changed', 'changed', 'changed'])
    stop()
    expect(hints).toHaveLength(0)
  })
})
