import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sampleCall, sampleRule } from '../test/samples'
import { DeskError } from './desk-error'
import { openDesk } from './open-desk'
import { WindowDesk } from './window-desk'

type Reply = { status?: number; body: unknown }

/** The window's bindings: Ask answers from a table of "METHOD /path", the others by their names. */
function bind(rows: Record<string, Reply>, methods: Record<string, unknown> = {}) {
  const asked: unknown[][] = []
  const answer = (method: string, args: unknown[]) => {
    if (method !== 'Ask') return methods[method] ?? { ok: false, error: { code: 'internal', message: method } }
    const row = rows[`${String(args[0])} ${String(args[1])}`] ?? { status: 404, body: { code: 'not_found', detail: String(args[1]) } }
    return { status: row.status ?? 200, body: typeof row.body === 'string' ? row.body : JSON.stringify(row.body) }
  }
  const App = new Proxy({}, { get: (_, method: string) => (...args: unknown[]) => {
    if (method === 'Here') return Promise.resolve(methods.Here ?? false)
    asked.push([method, ...args])
    return Promise.resolve(JSON.stringify(answer(method, args)))
  } })
  vi.stubGlobal('go', { main: { App } })
  return asked
}

describe('WindowDesk', () => {
  const heard: Record<string, ((event: unknown) => void)[]> = {}
  const hints: ((event: unknown) => void)[] = (heard.desk = [])
  const sizes: ((event: unknown) => void)[] = (heard.compact = [])
  beforeEach(() => {
    vi.stubGlobal('runtime', { EventsOnMultiple: (name: string, tell: (event: unknown) => void) => {
      heard[name]?.push(tell)
      return () => heard[name]?.splice(0)
    } })
  })
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  it('is the face of a page in the window, without signing in', async () => {
    bind({})
    expect((await openDesk()).state()).toHaveProperty('desk', expect.any(WindowDesk))
  })

  it('says that it is there, at once and when it is asked, and knows whether the page before it was lost', async () => {
    const asked: unknown[] = []
    bind({}, { get Here() { return asked.push('here') === 1 } })
    const pings: ((event: unknown) => void)[] = (heard.ping = [])
    const desk = new WindowDesk()
    expect(asked).toHaveLength(1)
    pings[0]?.(undefined)
    expect(asked).toHaveLength(2)
    expect(await desk.renewed()).toBe(true)
  })

  it('takes no answer without a status', async () => {
    vi.stubGlobal('go', { main: { App: { Here: () => Promise.resolve(false), Ask: () => Promise.resolve('{"body":"{}"}') } } })
    await expect(new WindowDesk().input('call-1')).rejects.toMatchObject({ code: 'malformed_answer' })
  })

  it('gives inputs as they were sent', async () => {
    const raw = '{"n":9007199254740993, "a":"\\u202e"}'
    bind({ 'GET /v1/calls/call-1/input': { body: raw } })
    expect(await new WindowDesk().input('call-1')).toBe(raw)
  })

  it('asks the rows of the desk, with guards and edited inputs as they were written', async () => {
    const asked = bind({
      'POST /v1/calls/call-1/decision': { body: { call: sampleCall({ status: 'approved' }), settled: [] } },
      'PATCH /v1/rules/rule-1': { body: { rule: sampleRule(), pendingMatches: 1 } },
      'PUT /v1/projects/site': { body: {} },
      'DELETE /v1/rules/rule-1': { body: '{"rule":' + JSON.stringify({ ...sampleRule(), examples: [] }).replace('"hits":0', '"hits":0.0') + ',"pendingMatches":0}' },
    })
    const desk = new WindowDesk()
    await desk.decide('call-1', { approved: true, reason: '', inputHash: 'h', rev: 2, input: '{"n":5.0}' })
    expect((await desk.updateRule('rule-1', { note: 'x' }, 'seen')).pendingMatches).toBe(1)
    expect((await desk.deleteRule('rule-1', '')).document).toContain('"hits":0.0')
    expect(asked[0]).toEqual(['Ask', 'POST', '/v1/calls/call-1/decision', '', '{"approved":true,"reason":"","inputHash":"h","rev":2,"input":{"n":5.0}}'])
    expect(asked[1]).toEqual(['Ask', 'PATCH', '/v1/rules/rule-1', '"seen"', '{"note":"x"}'])
    await (await desk.roles()).putProject('site', {}, null)
    expect(asked.at(-1)).toEqual(['Ask', 'PUT', '/v1/projects/site', 'If-None-Match: *', '{"members":{}}'])
  })

  it('throws what the desk refuses, with all it says', async () => {
    bind({ 'POST /v1/calls/call-1/decision': { status: 409, body: { code: 'already_decided', detail: 'before', call: sampleCall({ status: 'declined' }) } } })
    const error: unknown = await new WindowDesk().decide('call-1', { approved: true, reason: '', inputHash: 'h', rev: 1 }).catch((e: unknown) => e)
    expect(error).toBeInstanceOf(DeskError)
    expect(error).toMatchObject({ code: 'already_decided', message: 'before', call: { status: 'declined' } })
  })

  it('makes agents by the window, which keeps their tokens', async () => {
    const asked = bind({}, { CreateAgent: { ok: true, value: { agent: { id: 'a', name: 'x', createdAt: '' }, token: 't', tokenFile: '/f' } }, DeleteAgent: { ok: false, error: { code: 'not_found', message: 'no such agent' } } })
    const desk = new WindowDesk()
    expect(await desk.createAgent('x')).toMatchObject({ token: 't', tokenFile: '/f' })
    await expect(desk.deleteAgent('b')).rejects.toMatchObject({ code: 'not_found' })
    expect(asked).toEqual([['CreateAgent', 'x'], ['DeleteAgent', 'b']])
  })

  it('takes events of any shape as hints', () => {
    bind({})
    const kinds: string[] = []
    const stop = new WindowDesk().subscribe(({ kind }) => kinds.push(kind))
    for (const event of ['call.created', null, 7]) hints[0]?.(event)
    expect(kinds).toEqual(['call.created', 'changed', 'changed'])
    stop()
    expect(hints).toHaveLength(0)
  })

  it('asks whether the window is small, and follows what it is told since', async () => {
    const small: { answer: (on: boolean) => void } = { answer: () => undefined }
    vi.stubGlobal('go', { main: { App: { Here: () => Promise.resolve(false), Compact: () => new Promise<boolean>((answer) => (small.answer = answer)), Expand: () => Promise.resolve() } } })
    const desk = new WindowDesk()
    const [told, late]: [boolean[], boolean[]] = [[], []]
    const stop = desk.onCompact((on) => told.push(on))
    small.answer(true)
    await Promise.resolve()
    sizes[0]?.(false)
    sizes[0]?.('true')
    expect(told).toEqual([true, false, false])
    stop()
    expect(sizes).toHaveLength(0)
    desk.onCompact((on) => late.push(on))
    sizes[0]?.(true)
    small.answer(false)
    await Promise.resolve()
    expect(late).toEqual([true])
    await desk.expand()
  })
})
