import { afterEach, describe, expect, it, vi } from 'vitest'
import { sampleCall, sampleRule } from '../test/samples'
import { DeskError } from './desk-error'
import { HttpDesk } from './http-desk'
import { openDesk, type Entrance } from './open-desk'
import { storedToken } from './session'

type Reply = { status?: number; body?: unknown; raw?: string | Uint8Array<ArrayBuffer> }

/** A desk that answers from a table of "METHOD /path" and keeps what it was asked. */
function stub(replies: Record<string, Reply | Reply[]>) {
  const asked: { line: string; headers: Headers; body: unknown }[] = []
  const send = vi.fn((url: string | URL | Request, init?: RequestInit) => {
    const line = `${init?.method ?? 'GET'} ${String(url)}`
    asked.push({ line, headers: new Headers(init?.headers), body: init?.body ? JSON.parse(String(init.body)) : undefined })
    const found = replies[line]
    const reply = Array.isArray(found) ? (found.length > 1 ? found.shift() : found[0]) : found
    if (!reply) return Promise.reject(new TypeError(`nobody answers ${line}`))
    return Promise.resolve(new Response(reply.raw ?? JSON.stringify(reply.body ?? {}), { status: reply.status ?? 200 }))
  }) as unknown as typeof fetch
  return { asked, send }
}

function desk(replies: Record<string, Reply | Reply[]>, onSignedOut?: () => void) {
  const { asked, send } = stub(replies)
  return { asked, desk: new HttpDesk({ token: 'op-1', fetch: send, ...(onSignedOut ? { onSignedOut } : {}) }) }
}

const refusal = async (promise: Promise<unknown>): Promise<DeskError> => {
  const error: unknown = await promise.then(() => null, (e: unknown) => e)
  if (!(error instanceof DeskError)) throw new Error('not refused with a DeskError')
  return error
}

describe('HttpDesk', () => {
  it('asks for the queue with its bearer and drops parsed inputs', async () => {
    const line = 'GET /v1/calls?status=pending&order=oldest&limit=200'
    const { desk: d, asked } = desk({ [line]: { body: { rev: 12, next: null, calls: [{ ...sampleCall(), input: { big: 1 }, result: null }] } } })
    const snapshot = await d.pending()
    expect(snapshot).toEqual({ rev: 12, items: [sampleCall()] })
    expect(asked[0]?.headers.get('authorization')).toBe('Bearer op-1')
  })

  it.each(['{"n":9007199254740993, "n":5.0}', '\uFEFF{}', '"\\u202e \u202e"'])('gives an input as its bytes are: %j', async (raw) => {
    const { desk: d } = desk({ 'GET /v1/calls/a%2Fb/input': { raw: new TextEncoder().encode(raw) } })
    expect(await d.input('a/b')).toBe(raw)
  })

  it('refuses an input that is not UTF-8', async () => {
    const { desk: d } = desk({ 'GET /v1/calls/x/input': { raw: new Uint8Array([0x22, 0xff, 0x22]) } })
    expect((await refusal(d.input('x'))).code).toBe('malformed_answer')
  })

  it('sends a decision with the hash and rev that were shown', async () => {
    const { desk: d, asked } = desk({ 'POST /v1/calls/call-1/decision': { body: { call: { ...sampleCall(), status: 'declined' }, settled: ['call-2'], repeated: true } } })
    const done = await d.decide('call-1', { approved: false, reason: 'no', inputHash: 'sha256:x', rev: 4 })
    expect(asked[0]?.body).toEqual({ approved: false, reason: 'no', inputHash: 'sha256:x', rev: 4 })
    expect(done).toEqual({ call: sampleCall({ status: 'declined' }), settled: ['call-2'], repeated: true })
  })

  it('gives a problem with its code, field and call', async () => {
    const { desk: d } = desk({
      'POST /v1/calls/call-1/decision': { status: 409, body: { title: 'Conflict', status: 409, detail: 'declined before', code: 'already_decided', call: { ...sampleCall(), status: 'declined' } } },
      'POST /v1/rules': { status: 422, body: { detail: 'toolPattern: longer than 256 bytes', code: 'invalid', field: 'body.toolPattern', errors: [{ location: 'body.toolPattern', message: 'longer than 256 bytes' }] } },
      'GET /v1/agents': { status: 500, raw: 'oops' },
    })
    const conflict = await refusal(d.decide('call-1', { approved: true, reason: '', inputHash: 'h', rev: 1 }))
    expect(conflict).toMatchObject({ code: 'already_decided', message: 'declined before', call: { status: 'declined' } })
    const form = { serverId: null, toolName: null, toolPattern: 'x', effect: 'ask' as const, priority: 0, enabled: true, note: '' }
    expect(await refusal(d.createRule(form))).toMatchObject({ code: 'invalid', field: 'toolPattern', message: 'longer than 256 bytes' })
    expect((await refusal(d.agents())).code).toBe('http_500')
    expect((await refusal(d.servers())).code).toBe('unreachable')
  })

  it('guards edits of rules with what was seen', async () => {
    const saved = { body: { rule: { ...sampleRule(), autoApprove: true }, pendingMatches: 2 } }
    const { desk: d, asked } = desk({ 'PATCH /v1/rules/rule-1': saved, 'DELETE /v1/rules/rule-1': saved })
    const { rule, pendingMatches } = await d.updateRule('rule-1', { ...sampleRule() }, '2026-01-01T00:00:00.000Z')
    await d.deleteRule('rule-1', '')
    expect([rule.id, pendingMatches]).toEqual(['rule-1', 2])
    expect(asked.map((a) => a.headers.get('if-match'))).toEqual(['"2026-01-01T00:00:00.000Z"', null])
  })

  it('changes what is given of a rule and nothing else', async () => {
    const { desk: d, asked } = desk({ 'PATCH /v1/rules/rule-1': { body: { rule: sampleRule(), pendingMatches: 0 } } })
    await d.updateRule('rule-1', { note: 'x' }, '')
    expect(asked[0]?.body).toEqual({ note: 'x' })
  })

  it('reads what newer calls and rules say, and never their parsed inputs', async () => {
    const call = { ...sampleCall(), status: 'in_doubt', input: { n: 1 }, original: { input: { n: 0 }, inputHash: 'sha256:asked' }, inputWiped: true, class: { serverId: null, toolName: 'run', command: 'git' }, resumeSchema: { type: 'object' }, resumeData: [1] }
    const decision = { by: 'grant', approved: true, reason: '', scope: 'session', ruleId: null, grantId: 'grant-1', decidedAt: 'then', remembered: 'call-0', count: 3 }
    const rule = { ...sampleRule(), condition: 'input.n > 1', examples: [{ serverId: 'fs', toolName: 'run', input: { n: 2 }, decision: 'allow' }, { toolName: 'stop', decision: 'deny' }] }
    const { desk: d } = desk({ 'GET /v1/calls?limit=50': { body: { calls: [{ ...call, decision }], next: null } }, 'GET /v1/rules': { body: { rules: [rule], policyVersion: 1 } } })
    expect((await d.calls({ cursor: null })).calls).toEqual([
      sampleCall({ status: 'in_doubt', original: { inputHash: 'sha256:asked' }, inputWiped: true, class: { serverId: null, toolName: 'run', command: 'git' }, resumeSchema: { type: 'object' }, resumeData: [1], decision }),
    ])
    expect((await d.rules()).rules).toEqual([
      sampleRule({ condition: 'input.n > 1', examples: [{ serverId: 'fs', toolName: 'run', hasInput: true, decision: 'allow' }, { serverId: null, toolName: 'stop', hasInput: false, decision: 'deny' }] }),
    ])
  })

  it('resolves, releases and holds', async () => {
    const { desk: d, asked } = desk({
      'POST /v1/calls/a%2Fb/resolve': { body: { call: sampleCall({ status: 'approved' }) } },
      'POST /v1/calls/release': { body: { released: 4 } },
      'POST /v1/hold': { body: { on: true } },
      'GET /v1/settings': { body: { hold: true, undoSeconds: 3 } },
    })
    expect((await d.resolve('a/b', 'retry')).status).toBe('approved')
    expect(await d.release('rule-1')).toBe(4)
    await d.hold(true)
    expect(await d.settings()).toEqual({ hold: true })
    expect(asked.map((a) => a.body)).toEqual([{ action: 'retry' }, { ruleId: 'rule-1' }, { on: true }, undefined])
  })

  it('sends servers back without what only the desk knows', async () => {
    const shown = { id: 'fs', transport: 'stdio', command: 'fs', args: ['a b'], env: { K: '********' }, cwd: '', url: null, headers: {}, enabled: true, state: 'running', tools: ['read', 'write'] }
    const { desk: d, asked } = desk({ 'GET /v1/servers': { body: { servers: [shown] } }, 'PUT /v1/servers': { body: { servers: [shown] } } })
    await d.saveServers(await d.servers())
    expect(asked[1]?.body).toEqual({ servers: [{ id: 'fs', transport: 'stdio', command: 'fs', args: ['a b'], env: { K: '********' }, cwd: '', url: null, headers: {}, enabled: true }] })
  })

  it('says once that the token is unknown', async () => {
    const onSignedOut = vi.fn()
    const { desk: d } = desk({ 'GET /v1/rules': { status: 401, body: { code: 'unauthorized', detail: 'no or unknown token' } } }, onSignedOut)
    expect((await refusal(d.rules())).code).toBe('unauthorized')
    expect(onSignedOut).toHaveBeenCalledOnce()
  })

  it('pages through all calls', async () => {
    const { desk: d, asked } = desk({ 'GET /v1/calls?limit=50': { body: { calls: [], next: 41 } }, 'GET /v1/calls?limit=50&cursor=41': { body: { calls: [], next: null } } })
    const first = await d.calls({ cursor: null })
    expect(await d.calls({ cursor: first.next })).toEqual({ calls: [], next: null })
    expect(asked).toHaveLength(2)
  })
})

describe('events', () => {
  const hints = async (d: HttpDesk, count: number) => {
    const kinds: string[] = []
    await new Promise<void>((resolve) => {
      const stop = d.subscribe(({ kind }) => {
        kinds.push(kind)
        if (kinds.length < count) return
        stop()
        resolve()
      })
    })
    return kinds
  }

  it('are hints; the stream resumes after the last one seen', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const { desk: d, asked } = desk({ 'GET /v1/events': [{ raw: ': hi\n\nid: 5\nevent: call.created\ndata: {}\n\n' }, { raw: 'event: reset\ndata: {}\n\n' }] })
    expect(await hints(d, 4)).toEqual(['connected', 'call.created', 'connected', 'reset'])
    expect(asked.map((a) => a.headers.get('last-event-id'))).toEqual([null, '5'])
    expect(asked[1]?.headers.get('authorization')).toBe('Bearer op-1')
  })

  it('share one connection, which ends with the last listener', async () => {
    const { send, asked } = stub({ 'GET /v1/events': { raw: 'data: x\n\n' } })
    let aborted = false
    const open = ((url: string, init: RequestInit) => {
      init.signal?.addEventListener('abort', () => (aborted = true))
      return send(url, init)
    }) as typeof fetch
    const d = new HttpDesk({ token: 't', fetch: open })
    const stops = [d.subscribe(() => undefined), d.subscribe(() => undefined)]
    await Promise.resolve()
    expect(asked).toHaveLength(1)
    stops[0]?.()
    expect(aborted).toBe(false)
    stops[1]?.()
    expect(aborted).toBe(true)
  })
})

describe('openDesk', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  const at = (hash: string, replies: Record<string, Reply>) => {
    const { send, asked } = stub(replies)
    vi.stubGlobal('fetch', send)
    window.history.replaceState(null, '', '/' + hash)
    return asked
  }

  it('changes the code of the address for a token and forgets the code', async () => {
    const asked = at('#login=abc-1', { 'POST /v1/login': { body: { token: 'op-9' } } })
    const opening = openDesk()
    expect(window.location.hash).toBe('') // before anything is sent
    expect((await opening).state()).toHaveProperty('desk')
    expect(asked[0]?.body).toEqual({ code: 'abc-1' })
    expect(storedToken()).toBe('op-9')
    expect(document.cookie).toBe('')
  })

  it.each([
    ['was used', { 'POST /v1/login': { status: 401 } }, 'bad-code'],
    ['finds no desk', {}, 'unreachable'],
  ])('says so when a code %s', async (_, replies, why) => {
    at('#login=old', replies)
    expect((await openDesk()).state()).toEqual({ signedOut: why })
    expect(storedToken()).toBeNull()
  })

  it('needs a token, and drops one that ended', async () => {
    at('', { 'GET /v1/rules': { status: 401 } })
    expect((await openDesk()).state()).toEqual({ signedOut: 'none' })
    sessionStorage.setItem('sekisho.operator', 'old')
    const entrance: Entrance = await openDesk()
    const opened = entrance.state()
    if (!('desk' in opened)) throw new Error('no desk')
    await refusal(opened.desk.rules())
    expect(entrance.state()).toEqual({ signedOut: 'ended' })
    expect(storedToken()).toBeNull()
  })

  it('leaves another address alone', async () => {
    at('#/rules', {})
    await openDesk()
    expect(window.location.hash).toBe('#/rules')
  })
})
