import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { sampleCall, sampleClassPart, sampleCoverage, sampleRule } from '../test/samples'
import { DeskError } from './desk-error'
import { noSettings } from './fake-answers'
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
    return Promise.resolve(
      new Response(reply.status === 204 ? null : (reply.raw ?? JSON.stringify(reply.body ?? {})), { status: reply.status ?? 200 }),
    )
  }) as unknown as typeof fetch
  return { asked, send }
}

function desk(replies: Record<string, Reply | Reply[]>, onSignedOut?: () => void) {
  const { asked, send } = stub(replies)
  return { asked, desk: new HttpDesk({ token: 'op-1', fetch: send, ...(onSignedOut ? { onSignedOut } : {}) }) }
}

function withSend(replies: Record<string, Reply | Reply[]>) {
  const { send } = stub(replies)
  return { send: vi.mocked(send), desk: new HttpDesk({ token: 'op-1', fetch: send }) }
}

const refusal = async (promise: Promise<unknown>): Promise<DeskError> => {
  const error: unknown = await promise.then(() => null, (e: unknown) => e)
  if (!(error instanceof DeskError)) throw new Error('not refused with a DeskError')
  return error
}

describe('HttpDesk', () => {
  it('asks for the queue with its bearer and drops parsed inputs', async () => {
    const line = 'GET /v1/calls?status=pending&order=oldest&brief=true&limit=200'
    const { desk: d, asked } = desk({
      [line]: {
        body: {
          desk: 'd-1',
          rev: 12,
          now: '2026-01-01T00:00:05.000Z',
          next: null,
          calls: [{ ...sampleCall(), input: { big: 1 }, result: null }],
        },
      },
    })
    const snapshot = await d.pending()
    expect(snapshot).toEqual({ desk: 'd-1', rev: 12, now: '2026-01-01T00:00:05.000Z', items: [sampleCall()], next: null, declined: [] })
    expect(asked[0]?.headers.get('authorization')).toBe('Bearer op-1')
  })

  it('goes on in the queue where the page before ended', async () => {
    const line = 'GET /v1/calls?status=pending&order=oldest&brief=true&limit=200'
    const { desk: d } = desk({
      [line]: { body: { rev: 1, now: '', next: 41, calls: [] } },
      [`${line}&cursor=41`]: { body: { desk: 'd-1', rev: 2, now: '', next: null, calls: [sampleCall()] } },
    })
    const { next } = await d.pending()
    expect(next).toBe('41')
    expect(await d.pending(next ?? '')).toEqual({ desk: 'd-1', rev: 2, now: '', items: [sampleCall()], next: null, declined: [] })
  })

  it.each(['{"n":9007199254740993, "n":5.0}', '\uFEFF{}', '"\\u202e \u202e"'])('gives an input as its bytes are: %j', async (raw) => {
    const { desk: d } = desk({ 'GET /v1/calls/a%2Fb/input': { raw: new TextEncoder().encode(raw) } })
    expect(await d.input('a/b')).toBe(raw)
  })

  it('refuses an input that is not UTF-8', async () => {
    const { desk: d } = desk({ 'GET /v1/calls/x/input': { raw: new Uint8Array([0x22, 0xff, 0x22]) } })
    expect((await refusal(d.input('x'))).code).toBe('malformed_answer')
  })

  it.each<[string, unknown]>([
    ['id', ''], ['id', undefined], ['id', 7],
    ['inputHash', ''], ['inputHash', null], ['inputHash', undefined],
    ['rev', undefined], ['rev', '3'], ['rev', 1.5], ['rev', 2 ** 53], ['shownRev', null],
    ['status', undefined], ['status', 'newer'], ['status', 1],
  ])('refuses an answer with a call whose %s is %j', async (field, value) => {
    const broken = { ...sampleCall(), [field]: value }
    const { desk: d } = desk({
      'GET /v1/calls?status=pending&order=oldest&brief=true&limit=200': { body: { desk: 'd-1', rev: 1, calls: [sampleCall(), broken], next: null } },
      'GET /v1/calls/call-1': { body: { call: broken } },
      'POST /v1/calls/call-1/decision': { body: { call: broken, settled: [] } },
    })
    const answer = { approved: true, reason: '', inputHash: 'h', rev: 1 }
    for (const asked of [d.pending(), d.call('call-1'), d.decide('call-1', answer)]) {
      const { code, message } = await refusal(asked)
      expect([code, message]).toEqual(['malformed_answer', expect.stringContaining(field)])
    }
  })

  it('sends a decision with the hash and rev that were shown', async () => {
    const { desk: d, asked } = desk({
      'POST /v1/calls/call-1/decision': { body: { call: { ...sampleCall(), status: 'declined' }, settled: ['call-2'], repeated: true } },
    })
    const done = await d.decide('call-1', { approved: false, reason: 'no', inputHash: 'sha256:x', rev: 4 })
    expect(asked[0]?.body).toEqual({ approved: false, reason: 'no', inputHash: 'sha256:x', rev: 4 })
    expect(done).toEqual({ call: sampleCall({ status: 'declined' }), settled: ['call-2'], repeated: true })
  })

  it('gives a problem with its code, field and call', async () => {
    const { desk: d } = desk({
      'POST /v1/calls/call-1/decision': {
        status: 409,
        body: {
          title: 'Conflict',
          status: 409,
          detail: 'declined before',
          code: 'already_decided',
          call: { ...sampleCall(), status: 'declined' },
        },
      },
      'POST /v1/rules': {
        status: 422,
        body: {
          detail: 'toolPattern: longer than 256 bytes',
          code: 'invalid',
          field: 'body.toolPattern',
          errors: [{ location: 'body.toolPattern', message: 'longer than 256 bytes' }],
        },
      },
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
    const reach = {
      class: { serverId: null, method: 'tools/call', toolName: 'run', folder: '', parts: [sampleClassPart('git log', '/w')] },
      onlyOnce: 'opaque',
    }
    const call = {
      ...sampleCall(),
      covers: { class: { ...sampleCoverage({ code: 'commands' }), newer: true }, session: null },
      status: 'in_doubt',
      input: { n: 1 },
      original: { input: { n: 0 }, inputHash: 'sha256:asked' },
      inputWiped: true,
      ...reach,
      resumeSchema: { type: 'object' },
      resumeData: [1],
    }
    const decision = {
      by: 'grant',
      approved: true,
      code: null,
      params: {},
      reason: '',
      scope: 'session' as const,
      ruleId: null,
      grantId: 'grant-1',
      decidedAt: 'then',
      remembered: 'call-0',
      count: 3,
    }
    const rule = {
      ...sampleRule(),
      condition: 'input.n > 1',
      examples: [
        { serverId: 'fs', toolName: 'run', input: { n: 2 }, decision: 'allow' },
        { toolName: 'stop', decision: 'deny' },
      ],
    }
    const { desk: d } = desk({
      'GET /v1/calls?brief=true&limit=100': { body: { rev: 1, calls: [{ ...call, decision }], next: null } },
      'GET /v1/rules': { body: { rules: [rule], policyVersion: 1 } },
    })
    expect((await d.calls({ cursor: null })).calls).toEqual([
      sampleCall({
        status: 'in_doubt',
        original: { inputHash: 'sha256:asked' },
        inputWiped: true,
        ...reach,
        covers: { class: sampleCoverage({ code: 'commands' }), session: null },
        resumeSchema: { type: 'object' },
        resumeData: [1],
        decision,
      }),
    ])
    expect((await d.rules()).rules).toEqual([
      sampleRule({
        condition: 'input.n > 1',
        examples: [
          { serverId: 'fs', toolName: 'run', input: '{"n":2}', decision: 'allow' },
          { serverId: null, toolName: 'stop', decision: 'deny' },
        ],
      }),
    ])
  })

  it('resolves, releases and holds', async () => {
    const { desk: d, asked } = desk({
      'POST /v1/calls/a%2Fb/resolve': { body: { call: sampleCall({ status: 'approved' }) } },
      'POST /v1/calls/release': { body: { released: 4 } },
      'POST /v1/hold': { body: { on: true } },
      'GET /v1/settings': {
        body: {
          hold: true,
          undoSeconds: 3,
          reads: { resources: 'deny', prompts: 'allow' },
          hooks: { unanswered: 'client' },
          deadlines: { low: 1.5, medium: null, high: 600 },
          limits: { pendingPerAgent: 9, inputMembers: 500 },
          brake: { calls: 3, seconds: 9 },
          patience: { 'claude-code': 60 },
          window: { quiet: true },
        },
      },
    })
    expect((await d.resolve('a/b', 'retry')).status).toBe('approved')
    expect(await d.release('rule-1')).toBe(4)
    await d.hold(true)
    expect(await d.settings()).toEqual({
      ...noSettings,
      hold: true,
      denialMemory: false,
      reads: { resources: 'deny', prompts: 'allow' },
      hooks: { unanswered: 'client' },
      undoSeconds: 3,
      deadlines: { low: 1.5, medium: null, high: 600 },
      limits: { pendingPerAgent: 9, inputMembers: 500 },
      brake: { calls: 3, seconds: 9 },
      patience: { 'claude-code': 60 },
      window: { ...noSettings.window, quiet: true, closeToTray: false },
    })
    expect(asked.map((a) => a.body)).toEqual([{ action: 'retry' }, { ruleId: 'rule-1' }, { on: true }, undefined])
  })

  it('signs in to a server, and opens no page that is none of the web', async () => {
    const { desk: d, asked } = desk({
      'POST /v1/servers/a%20b/sign-in': [
        {
          body: {
            signIn: {
              state: 'waiting',
              issuer: 'https://i',
              url: 'https://i/x',
              error: '',
              wants: ['a:b'],
              client: { id: 'mine', secret: '********' },
            },
          },
        },
        { body: { signIn: { state: 'odd', url: 'javascript:alert(1)' } } },
      ],
      'DELETE /v1/servers/a%20b/sign-in': { body: { signIn: { error: 'not taken back' } } },
      'GET /v1/servers': { body: { servers: [], secrets: { where: '/s.json', trouble: '' } } },
    })
    expect(await d.signIn('a b')).toEqual({
      state: 'waiting',
      issuer: 'https://i',
      url: 'https://i/x',
      error: '',
      wants: ['a:b'],
      client: { id: 'mine', secret: '********', scopes: [], callbackPort: 0 },
    })
    const client = { id: 'mine', secret: 's', scopes: ['x'], callbackPort: 7777 }
    expect(await d.signIn('a b', client)).toEqual({ state: 'none', issuer: '', url: '', error: '', wants: [], client: null })
    expect((await d.signOut('a b')).error).toBe('not taken back')
    expect(asked.map((r) => r.body)).toEqual([undefined, { client }, undefined])
    expect(await d.secrets()).toEqual({ where: '/s.json', trouble: '' })
    expect(asked.length).toBe(4)
  })

  it('makes a project only where there is none, and edits the one that was seen', async () => {
    const { desk: d, asked } = desk({ 'PUT /v1/projects/site': { body: { project: { id: 'site', members: {}, createdAt: 't', updatedAt: 't' } } } })
    const rows = await d.roles()
    await rows.putProject('site', {}, null)
    await rows.putProject('site', {}, 't1')
    const guards = asked.map(({ headers }) => [headers.get('If-None-Match'), headers.get('If-Match')])
    expect(guards).toEqual([['*', null], [null, '"t1"']])
  })

  it('sends servers back without what only the desk knows', async () => {
    const shown = {
      id: 'fs',
      transport: 'stdio',
      command: 'fs',
      args: ['a b'],
      env: { K: '********' },
      cwd: '',
      url: null,
      headers: {},
      enabled: true,
      toolPermissions: { read: 'task_only', '*': 'authenticated' },
      state: 'running',
      tools: ['read', 'write'],
      changedTools: ['read'],
    }
    const { desk: d, asked } = desk({
      'GET /v1/servers': { body: { version: 'v1', servers: [{ ...shown, revision: 'r1' }] } },
      'PUT /v1/servers': { body: { servers: [shown] } },
    })
    const { servers, version } = await d.versionedServers()
    expect(servers[0]?.revision).toBe('r1')
    await d.saveServers(servers, version)
    expect(asked[1]?.headers.get('If-Match')).toBe('"v1"')
    expect(asked[1]?.body).toEqual({
      servers: [
        {
          id: 'fs',
          transport: 'stdio',
          command: 'fs',
          args: ['a b'],
          env: { K: '********' },
          cwd: '',
          url: '',
          headers: {},
          enabled: true,
          toolPermissions: { read: 'task_only', '*': 'authenticated' },
        },
      ],
    })
  })

  it('reads what changed of a tool, takes words that it does not know as the widest change, and accepts what was shown', async () => {
    const line = { kind: 'removed', text: 'a', old: 1, new: 0, count: 0, ending: '' }
    const tool = {
      serverId: 'fs',
      toolName: 'a/b',
      changed: 'definition',
      back: true,
      definition: { before: 'h1', after: 'h2', cut: true, added: 0, removed: 1, lines: [line], more: 2 },
      launch: null,
      shown: { definition: 'h2', launch: 'l', back: true },
    }
    const { desk: d, asked } = desk({
      'GET /v1/servers/fs/tools/a%2Fb': [{ body: { tool } }, { body: { tool: { ...tool, changed: '' } } }],
      'POST /v1/servers/fs/tools/a%2Fb/accept': { body: { tool } },
      'POST /v1/servers/f%20s/tools/accept': { body: { accepted: ['a/b'] } },
      'GET /v1/calls/c': [
        { body: { call: sampleCall({ why: { rule: null, code: null, params: {}, reason: '', changed: 'launch', withheld: true } }) } },
        { body: { call: sampleCall({ why: { rule: null, code: null, params: {}, reason: '', changed: 'unknown' } }) } },
        { body: { call: { ...sampleCall(), why: { rule: null, code: null, params: {}, reason: '', changed: 'colour', notChecked: ['/pattern'] } } } },
      ],
    })
    const shown = await d.tool('fs', 'a/b')
    expect(shown).toEqual(tool)
    expect((await d.tool('fs', 'a/b')).changed).toBe('')
    await d.acceptTool(shown)
    expect(asked[2]?.body).toEqual({ definition: 'h2', launch: 'l', back: true })
    await d.acceptTools('f s', [shown])
    expect(asked[3]?.body).toEqual({ tools: [{ name: 'a/b', definition: 'h2', launch: 'l', back: true }] })
    expect((await d.call('c')).why).toMatchObject({ changed: 'launch', withheld: true })
    expect((await d.call('c')).why).toEqual({ rule: null, code: null, params: {}, reason: '', changed: 'unknown' })
    expect((await d.call('c')).why).toMatchObject({ changed: 'both', notChecked: ['/pattern'] })
  })

  it('says once that the token is unknown', async () => {
    const onSignedOut = vi.fn()
    const { desk: d } = desk(
      { 'GET /v1/rules': { status: 401, body: { code: 'unauthorized', detail: 'no or unknown token' } } },
      onSignedOut,
    )
    expect((await refusal(d.rules())).code).toBe('unauthorized')
    expect(onSignedOut).toHaveBeenCalledOnce()
  })

  it('reports what is looked at, and when it no longer is', async () => {
    const { desk: d, asked } = desk({ 'POST /v1/attention': { status: 204, raw: '' } })
    await d.attend({ callId: 'call-1', rev: 3 })
    await d.attend(null)
    expect(asked.map((a) => a.body)).toEqual([{ callId: 'call-1', rev: 3 }, { callId: null, rev: 0 }])
  })

  it('reads a look, and takes words it does not know as the most careful ones', async () => {
    const file = {
      path: 'a',
      resolved: '/a',
      state: 'sparkling',
      reason: '',
      version: '1',
      size: 3,
      added: 1,
      removed: 0,
      lines: [
        { kind: 'added', text: 'x', old: 0, new: 1 },
        { kind: 'gap', count: 9 },
      ],
    }
    const command = {
      text: 'ls',
      parsed: true,
      error: '',
      argv: false,
      lines: [[{ kind: 'program', text: 'ls' }]],
      programs: [{ word: 'ls', path: null }],
      cwd: '',
    }
    const last = {
      callId: 'c',
      decidedAt: 'then',
      same: false,
      changed: [{ key: 'n', before: '9007199254740993' }],
      added: ['a'],
      removed: [],
    }
    const { desk: d } = desk({
      'GET /v1/calls/call-1/look': { body: { file, command, last } },
      'GET /v1/calls/call-2/look': { body: { file: null, command: null, last: null } },
    })
    expect(await d.look('call-1')).toMatchObject({
      file: {
        state: 'unclear',
        lines: [
          { kind: 'added', ending: '', count: 0 },
          { kind: 'gap', count: 9 },
        ],
      },
      command,
      last,
    })
    expect(await d.look('call-2')).toEqual({ summary: null, file: null, command: null, last: null, flags: [] })
  })

  it("brings a deleted rule back by a document in the desk's own words", async () => {
    const raw =
      '{"rule":{"id":"r","serverId":null,"toolName":"x","toolPattern":null,"effect":"allow","priority":1,"enabled":true,"note":"","condition":null,"expiresAt":null,"examples":[{"toolName":"x","input":{"n":9007199254740993},"decision":"allow"}],"createdAt":"c","updatedAt":"u","hits":2,"lastHitAt":null},"pendingMatches":0}'
    const diff = { body: { diff: { added: [], changed: [], removed: [], same: 0, allows: ['r'], policyVersion: 4, narrower: { answer: 'yes', ruleId: null, part: '', example: null } } } }
    const { desk: d, send } = withSend({ 'DELETE /v1/rules/r': { raw }, 'POST /v1/policy/import': diff })
    const { document, rule } = await d.deleteRule('r', '')
    expect(rule.id).toBe('r')
    expect((await d.importRules(document, 'merge', 3, ['r'])).allows).toEqual(['r'])
    expect(send.mock.calls[1]?.[1]?.body).toBe(
      `{"mode":"merge","accept":["r"],"ifVersion":3,"document":{"format":"sekisho.rules","version":1,"rules":[${raw.slice('{"rule":'.length, -',"pendingMatches":0}'.length)}]}}`,
    )
  })

  it('tries rules and calls with inputs as they were written', async () => {
    const seen = {
      decision: 'deny',
      code: 'rule_denies',
      params: { ruleId: 'a', priority: 1 },
      reason: 'r',
      rule: { id: 'a', priority: 1 },
      risk: 'high',
      riskReasons: [{ code: 'deletes', params: { name: 'rm' }, text: 'x', at: { pointer: '/command', start: 0, end: 2 } }],
      parts: [{ name: 'git log', decision: 'deny', rule: { id: 'a', priority: 1 } }],
      trace: [{ ruleId: 'a', part: 0, applies: true, code: 'applies', params: {}, why: 'w' }],
    }
    const { desk: d, send } = withSend({
      'POST /v1/evaluate': { body: seen },
      'POST /v1/rules/preview': {
        body: {
          changed: [],
          changedTotal: 2,
          declined: 1,
          total: 9,
          counts: { 'allow>ask': 2 },
          matched: 3,
          matchedDeclined: 1,
          unjudged: 4,
          narrower: { answer: 'yes', ruleId: null, part: '', example: null },
        },
      },
    })
    expect(
      await d.evaluate({ serverId: null, method: 'resources/read', toolName: 'x', input: '{"n":5.0}', envelope: '{"task":{"ttl":1.0}}' }),
    ).toEqual(seen)
    expect(send.mock.calls[0]?.[1]?.body).toBe(
      '{"serverId":null,"method":"resources/read","toolName":"x","input":{"n":5.0},"envelope":{"task":{"ttl":1.0}}}',
    )
    expect(await d.preview({ delete: ['a'] })).toMatchObject({ changedTotal: 2, counts: { 'allow>ask': 2 }, matched: 3, unjudged: 4 })
    const { desk: older } = desk({ 'POST /v1/rules/preview': { body: { changed: [], changedTotal: 0, declined: 0, total: 9, narrower: { answer: 'yes', ruleId: null, part: '', example: null } } } })
    expect(await older.preview({ delete: ['a'] })).toMatchObject({ total: 9, unjudged: 0 })
  })

  it('lists calls by text and states, and the journal entry by entry', async () => {
    const { desk: d, asked } = desk({
      'GET /v1/calls?brief=true&limit=100&status=denied%2Cfailed&q=50%25+off': { body: { rev: 1, calls: [], next: null } },
      'GET /v1/journal?after=7&limit=500': { raw: '{"entries":[{"seq":8,"n":1.0},{"seq":9}],"next":9}' },
    })
    await d.calls({ cursor: null, text: '50% off', statuses: ['denied', 'failed'] })
    expect(await d.journal(7)).toEqual({ entries: ['{"seq":8,"n":1.0}', '{"seq":9}'], next: 9 })
    expect(asked).toHaveLength(2)
  })

  it('pages through all calls', async () => {
    const { desk: d, asked } = desk({
      'GET /v1/calls?brief=true&limit=100': { body: { rev: 1, calls: [], next: 41 } },
      'GET /v1/calls?brief=true&limit=100&cursor=41': { body: { rev: 1, calls: [], next: null } },
    })
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
    const { desk: d, asked } = desk({
      'GET /v1/events': [{ raw: ': hi\n\nid: 5\nevent: call.created\ndata: {}\n\n' }, { raw: 'event: reset\ndata: {}\n\n' }],
    })
    expect(await hints(d, 4)).toEqual(['connected', 'call.created', 'connected', 'reset'])
    expect(asked.map((a) => a.headers.get('last-event-id'))).toEqual([null, '5'])
    expect(asked[1]?.headers.get('authorization')).toBe('Bearer op-1')
  })

  it('say which call they are about, and that events are lost when a stream breaks before the first', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const { desk: d } = desk({
      'GET /v1/events': [
        { raw: ': hi\n\n' },
        { raw: 'id: 7\nevent: call.changed\ndata: {"seq":7,"kind":"call.changed","callId":"c-1"}\n\n' },
      ],
    })
    const told: unknown[] = []
    await new Promise<void>((resolve) => {
      const stop = d.subscribe((hint) => {
        told.push(hint)
        if (told.length < 3) return
        stop()
        resolve()
      })
    })
    expect(told).toEqual([{ kind: 'connected' }, { kind: 'reset' }, { kind: 'call.changed', callId: 'c-1' }])
  })

  it('say that another desk tells them, of which nobody knows what was missed', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const said = (id: number, by: string) =>
      `id: ${String(id)}\nevent: call.created\ndata: {"seq":${String(id)},"kind":"call.created","callId":"c","desk":"${by}"}\n\n`
    const { desk: d } = desk({ 'GET /v1/events': [{ raw: said(7, 'one') + said(8, 'one') }, { raw: said(9, 'two') }] })
    expect(await hints(d, 6)).toEqual(['connected', 'call.created', 'call.created', 'connected', 'reset', 'call.created'])
  })

  it('are asked for ever less often while each stream is cut at once, and soon again after a good one', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    let lastsMs = 0
    const asked: number[] = []
    const open = (() => {
      asked.push(Date.now())
      const body = new ReadableStream({
        start(stream) {
          if (lastsMs > 0) stream.enqueue(new TextEncoder().encode(': sekisho\n\n'))
          const beat = setInterval(() => {
            stream.enqueue(new TextEncoder().encode(': \n\n'))
          }, 15_000)
          setTimeout(() => {
            clearInterval(beat)
            stream.close()
          }, lastsMs)
        },
      })
      return Promise.resolve(new Response(body))
    }) as unknown as typeof fetch
    const d = new HttpDesk({ token: 't', fetch: open })
    const stop = d.subscribe(() => undefined)
    await vi.advanceTimersByTimeAsync(60_000)
    const pauses = () => asked.slice(1).map((at, i) => Math.round((at - (asked[i] ?? 0)) / 100) * 100)
    expect(pauses()).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000, 10_000])
    lastsMs = 60_000
    expect(d.hasEvents()).toBe(false)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(d.hasEvents()).toBe(true)
    lastsMs = 0
    const before = asked.length
    await vi.advanceTimersByTimeAsync(65_000)
    expect(pauses().slice(before - 1, before + 1)).toEqual([60_500, 1000])
    expect(d.hasEvents()).toBe(false)
    stop()
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

  it('takes a code that is none to the desk, which refuses it', async () => {
    const asked = at('#login=%E0%A4%A', { 'POST /v1/login': { status: 401 } })
    expect((await openDesk()).state()).toEqual({ signedOut: 'bad-code' })
    expect(asked[0]?.body).toEqual({ code: '%E0%A4%A' })
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
