/** The rows of a desk in memory: it answers requests as the desk does, from what a FakeState has now. */
import type { Desk } from './desk'
import { DeskError } from './desk-error'
import { connected, disconnected } from './fake-answers'
import type { FakeState } from './fake-state'
import * as work from './fake-work'
import type { Request } from './fake-work'
import { member } from './raw-json'
import type { Answered, Asked, Transport } from './transport'
import { conditionOf, wordingOf } from './fake-wordings'
import type * as T from './types'

/** As many as the desk gives at once. */
const queueLimit = 200
const pageSize = 20

/** Gives the body of an answer; a string is its text. */
type Row = (desk: FakeState, request: Request) => unknown

/** Each row with the method of Desk that asks it, by which a test lets it fail. */
const rows: Record<string, readonly [method: keyof Desk, row: Row]> = {
  'GET /v1/calls/{}': ['call', (desk, { at: [id] }) => ({ call: callOf(desk, id) })],
  'GET /v1/calls/{}/input': ['input', (desk, { at: [id = ''] }) => desk.inputs.get(id) ?? '{}'],
  'GET /v1/calls/{}/envelope': ['envelope', (desk, { at: [id = ''] }) => desk.envelopes.get(id) ?? '{}'],
  'GET /v1/calls/{}/look': ['look', (desk, { at: [id = ''] }) => desk.looks.get(id) ?? { summary: null, file: null, command: null, last: null }],
  'DELETE /v1/calls/{}/input': ['wipeInput', (desk, { at: [id] }) => changed(desk, { ...callOf(desk, id), inputWiped: true })],
  'DELETE /v1/calls/{}/denial': ['forgetDenial', (desk, { at: [id] }) => ({ call: callOf(desk, id) })],
  'POST /v1/calls/{}/decision': ['decide', decide],
  'POST /v1/calls/{}/extend': ['extend', extend],
  'POST /v1/calls/{}/resolve': ['resolve', resolve],
  'POST /v1/calls/release': ['release', release],
  'POST /v1/attention': ['attend', () => ''],
  'GET /v1/arming': ['insights', (desk) => desk.armingNow],
  'GET /v1/insights': ['insights', (desk) => desk.insightsNow],
  'POST /v1/presence': ['insights', (desk) => ({ away: desk.awayNow })],
  'GET /v1/pause': ['insights', (desk) => ({ until: desk.pausedUntil })],
  'POST /v1/pause': ['insights', pause],
  'DELETE /v1/pause': ['insights', (desk) => ((desk.pausedUntil = null), '')],
  'POST /v1/demo': ['demo', () => ''],
  'GET /v1/rules': ['rules', (desk) => ({ rules: desk.ruleList.toSorted(byJudgement), policyVersion: desk.rev })],
  'POST /v1/rules': ['createRule', createRule],
  'PATCH /v1/rules/{}': ['updateRule', updateRule],
  'DELETE /v1/rules/{}': ['deleteRule', deleteRule],
  'POST /v1/rules/move': ['moveRule', moveRule],
  'POST /v1/rules/preview': ['preview', (desk) => desk.previewNow],
  'POST /v1/rules/lint': ['lint', (desk) => ({ findings: desk.findings })],
  'POST /v1/rules/wordings': ['wordings', (_, { body }) => ({ wordings: (body as { asked: { condition?: string; clauses?: T.Clause[] }[] }).asked.map(({ condition, clauses }) => wordingOf(condition ?? conditionOf(clauses ?? []))) })],
  'POST /v1/rules/widen': ['widen', (desk) => ({ rules: desk.widenings.map(({ rule }) => rule), choices: desk.widenings })],
  'POST /v1/rules/reach': ['reach', (desk, { body }) => (desk.reached.push(body as T.ReachQuery), desk.reachNow)],
  'POST /v1/evaluate': ['evaluate', (desk) => desk.verdictNow],
  'GET /v1/suggestions': ['suggestions', (desk) => ({ suggestions: desk.suggested })],
  'GET /v1/history': ['history', (desk) => desk.historyNow],
  'POST /v1/history': ['readHistory', (desk) => (desk.historyNow = { ...desk.historyNow, state: 'reading', result: null })],
  'DELETE /v1/history': ['forgetHistory', (desk) => (desk.historyNow = { state: 'none', files: 0, bytes: 0, calls: 0, result: null })],
  'GET /v1/policy': ['exportRules', (desk) => ({ format: 'sekisho.rules', version: 1, rules: desk.ruleList })],
  'POST /v1/policy/diff': ['diffRules', (desk) => ({ diff: desk.diffNow })],
  'POST /v1/policy/import': ['importRules', importRules],
  'GET /v1/grants': ['grants', (desk) => ({ grants: desk.grantList })],
  'DELETE /v1/grants/{}': ['endGrant', endGrant],
  'GET /v1/servers': ['servers', shownServers],
  'PUT /v1/servers': ['saveServers', saveServers],
  'POST /v1/servers/test': ['testServer', (desk) => desk.testNow],
  'POST /v1/servers/{}/sign-in': ['signIn', signIn],
  'DELETE /v1/servers/{}/sign-in': ['signOut', signOut],
  'GET /v1/servers/{}/tools/{}': ['tool', (desk, { at: [server, name] }) => ({ tool: toolOf(desk, server, name) })],
  'POST /v1/servers/{}/tools/{}/accept': ['acceptTool', (desk, { at: [server = '', name = ''] }) => accepted(desk, server, [name])],
  'POST /v1/servers/{}/tools/accept': ['acceptTools', acceptTools],
  'PUT /v1/servers/{}/tools/{}/risk': ['setToolRisk', setToolRisk],
  'GET /v1/agents': ['agents', (desk) => ({ agents: desk.agentList })],
  'POST /v1/agents': ['createAgent', createAgent],
  'DELETE /v1/agents/{}': ['deleteAgent', deleteAgent],
  'POST /v1/agents/{}/stop': ['stopAgent', (desk, { at: [id] }) => stop(desk, id, new Date(Date.now() + 15 * 60_000).toISOString())],
  'POST /v1/agents/{}/resume': ['resumeAgent', (desk, { at: [id] }) => stop(desk, id, null)],
  'PATCH /v1/agents/{}': ['roles', work.setRole],
  'GET /v1/sessions': ['roles', (desk) => ({ sessions: desk.sessionList })],
  'POST /v1/sessions': ['roles', work.makeSession],
  'POST /v1/sessions/{}/end': ['roles', work.endSession],
  'GET /v1/projects': ['roles', (desk) => ({ projects: desk.projectList })],
  'PUT /v1/projects/{}': ['roles', work.putProject],
  'GET /v1/coordination': ['work', (desk) => desk.coordinationNow],
  'PATCH /v1/coordination': ['work', work.turn],
  'GET /v1/projects/{}/tasks': ['work', work.tasks],
  'POST /v1/projects/{}/tasks': ['work', work.makeTask],
  'PATCH /v1/projects/{}/tasks/{}': ['work', work.edit],
  'POST /v1/projects/{}/tasks/{}/assign': ['work', work.assign],
  'POST /v1/projects/{}/tasks/{}/close': ['work', work.close],
  'GET /v1/projects/{}/conversations': ['work', (desk) => ({ conversations: desk.talkList.map(({ conversation }) => conversation) })],
  'POST /v1/projects/{}/conversations': ['work', work.begin],
  'GET /v1/projects/{}/conversations/{}': ['work', work.talk],
  'POST /v1/projects/{}/conversations/{}/messages': ['work', work.say],
  'POST /v1/projects/{}/conversations/{}/end': ['work', work.endTalk],
  'DELETE /v1/projects/{}/conversations/{}': ['work', work.deleteTalk],
  'GET /v1/connections': ['clients', listClients],
  'POST /v1/connections/{}/try': ['tryClient', tryClient],
  'POST /v1/connections/{}/connect': ['connectClient', connectClient],
  'POST /v1/connections/{}/prove': ['proveClient', (desk) => ({ servers: desk.proofs })],
  'POST /v1/connections/{}/disconnect': ['disconnectClient', disconnectClient],
  'POST /v1/connections/{}/check': ['checkClient', (desk) => desk.checkNow],
  'POST /v1/connections/leftovers/remove': ['removeLeftovers', removeLeftovers],
  'GET /v1/journal': ['journal', (desk) => ({ entries: desk.kept.map((c, i) => ({ seq: i + 1, kind: 'call.created', callId: c.id })), next: null })],
  'GET /v1/journal/end': ['journalEnd', () => refuse('unavailable', 'the desk has no key')],
  'GET /v1/settings': ['settings', (desk) => desk.settingsNow],
  'PATCH /v1/settings': ['changeSettings', changeSettings],
  'POST /v1/hold': ['hold', hold],
  'GET /v1/differences': ['differences', (desk) => ({ differences: desk.differencesNow })],
  'POST /v1/differences/settle': ['settleDifferences', settleDifferences],
  'GET /healthz': ['trouble', (desk) => ({ ok: desk.troubleNow === '', version: '0.0.0', operator: 'token', trouble: desk.troubleNow })],
  'GET /v1/calls': ['calls', newest],
  'GET /v1/calls?order=oldest': ['pending', waiting],
}

export class FakeTransport implements Transport {
  readonly #desk: () => FakeState

  constructor(desk: () => FakeState) {
    this.#desk = desk
  }

  ask(asked: Asked): Promise<Answered> {
    const desk = this.#desk()
    const { method, row, request } = found(asked)
    if (method === 'decide' || method === 'attend') arrived(desk, method, request) // at once, so that a test can say that none came
    return Promise.resolve().then(() => {
      try {
        const failure = desk.failures.get(method)
        if (failure) throw failure
        const body = row(desk, request)
        return { status: 200, body: typeof body === 'string' ? body : JSON.stringify(body, asSent) }
      } catch (thrown) {
        return problem(thrown)
      }
    })
  }
}

/** The rows that a fake desk has, as the API names them: {} stands for what is in a path. */
export const fakeRows = Object.keys(rows)

const table = Object.entries(rows).map(([line, [method, row]]) => ({ line: new RegExp(`^${line.replace('?', '\\?').replaceAll('{}', '([^/]+)')}$`), method, row }))

function found({ method: verb, path, body = '', ifMatch = '', onlyNew = false }: Asked): { method: keyof Desk; row: Row; request: Request } {
  const { pathname, searchParams: query } = new URL(path, 'http://desk')
  const asked = `${verb} ${pathname}${query.get('order') === 'oldest' ? '?order=oldest' : ''}`
  for (const { line, method, row } of table) {
    const at = line.exec(asked)?.slice(1).map(decodeURIComponent)
    if (at) return { method, row, request: { at, query, raw: body, body: JSON.parse(body || '{}'), ifMatch: ifMatch.replace(/^"(.*)"$/s, '$1'), onlyNew } }
  }
  throw new Error(`a fake desk has no row ${asked}`)
}

/** Inputs of examples are sent as JSON, and kept as its text. */
function asSent(this: object, name: string, value: unknown): unknown {
  return name === 'input' && typeof value === 'string' && 'decision' in this ? JSON.parse(value) : value
}

function problem(thrown: unknown): Answered {
  const { code, message, fault, call } = DeskError.from(thrown)
  if (code === 'unreachable') throw thrown
  const errors = fault && [{ location: fault.field, message, ...(fault.code !== '' && { code: fault.code, params: fault.params }) }]
  return { status: 409, body: JSON.stringify({ code, detail: message, field: fault?.field, errors, call }) }
}

function refuse(code: string, message: string, call?: T.Call): never {
  throw new DeskError({ code, message, call })
}

function arrived(desk: FakeState, method: 'decide' | 'attend', { at: [callId = ''], raw, body }: Request): void {
  if (method === 'attend') {
    desk.attention.push((body as T.Attention).callId ? (body as T.Attention) : null)
    return
  }
  const texts = ['input', 'resumeData'].filter((name) => name in (body as T.Answer)).map((name) => [name, member(raw, name)])
  desk.answers.push({ callId, answer: { ...(body as T.Answer), ...Object.fromEntries(texts) } })
}

function callOf(desk: FakeState, id: string | undefined): T.Call {
  return desk.kept.find((c) => c.id === id) ?? refuse('not_found', 'no such call')
}

function changed(desk: FakeState, call: T.Call): { call: T.Call } {
  desk.put(call)
  return { call }
}

function waiting(desk: FakeState, { query }: Request): unknown {
  const from = Number(query.get('cursor') ?? 0)
  const all = desk.kept.filter((c) => c.status === 'pending')
  const next = all.length > from + queueLimit ? from + queueLimit : null
  return { desk: desk.deskId, rev: desk.rev, now: null, calls: all.slice(from, from + queueLimit), next, declined: desk.declined }
}

function newest(desk: FakeState, { query }: Request): unknown {
  const from = Number(query.get('cursor') ?? 0)
  const statuses = query.get('status')?.split(',') ?? []
  const text = (query.get('q') ?? '').toLowerCase()
  const wanted = (c: T.Call) =>
    (statuses.length === 0 || statuses.includes(c.status)) && `${c.toolName} ${c.serverId ?? ''} ${c.agentName} ${c.agentSubagent ?? ''} ${c.sessionId}`.toLowerCase().includes(text)
  const all = desk.kept.filter(wanted).toReversed()
  return { rev: desk.rev, calls: all.slice(from, from + pageSize), next: all.length > from + pageSize ? from + pageSize : null }
}

function decide(desk: FakeState, { at: [id], body }: Request): unknown {
  const old = callOf(desk, id)
  const { approved, reason, scope = 'once' } = body as T.Answer
  const decision = { by: 'person', approved, code: null, params: {}, reason, scope, ruleId: null, grantId: null, decidedAt: new Date().toISOString(), remembered: null, count: 0 }
  return { ...changed(desk, { ...old, rev: old.rev + 1, status: approved ? 'approved' : 'declined', decision }), settled: [], repeated: false }
}

function extend(desk: FakeState, { at: [id], body }: Request): unknown {
  const old = callOf(desk, id)
  const seconds = (body as { seconds: number }).seconds
  return changed(desk, { ...old, rev: old.rev + 1, expiresAt: old.expiresAt && new Date(Date.parse(old.expiresAt) + seconds * 1000).toISOString() })
}

function resolve(desk: FakeState, { at: [id], body }: Request): unknown {
  const old = callOf(desk, id)
  if (old.status !== 'in_doubt') refuse('already_decided', `this call is not in doubt: it is ${old.status}`, old)
  return changed(desk, { ...old, rev: old.rev + 1, status: (body as { action: T.Resolution }).action === 'retry' ? 'approved' : 'failed' })
}

function release(desk: FakeState, { body }: Request): unknown {
  ruleOf(desk, (body as { ruleId: string }).ruleId)
  const released = desk.matches
  desk.matches = 0
  return { released }
}

function ruleOf(desk: FakeState, id: string | undefined, ifMatch = ''): T.Rule {
  const rule = desk.ruleList.find((r) => r.id === id) ?? refuse('not_found', 'no such rule')
  return ifMatch === '' || rule.updatedAt === ifMatch ? rule : refuse('lost_update', 'the rule was changed meanwhile')
}

function putRules(desk: FakeState, rules: T.Rule[]): void {
  desk.ruleList = rules
  desk.hint('rules.changed')
}

/** Strictly increasing, as the desk's own updatedAt. */
const now = (desk: FakeState) => new Date(Date.UTC(2026, 0, 1) + desk.rev).toISOString()

function createRule(desk: FakeState, { body }: Request): unknown {
  let n = desk.rev
  while (desk.ruleList.some((r) => r.id === `rule-${String(n)}`)) n++
  const at = now(desk)
  const empty = { method: null, condition: null, expiresAt: null, limit: null, id: `rule-${String(n)}` }
  const rule: T.Rule = { ...empty, ...(body as T.RuleForm), examples: [], createdAt: at, updatedAt: at, hits: 0, lastHitAt: null }
  putRules(desk, [...desk.ruleList, rule])
  return { rule, pendingMatches: desk.matches }
}

function updateRule(desk: FakeState, { at: [id], body, ifMatch }: Request): unknown {
  const rule = { ...ruleOf(desk, id, ifMatch), ...(body as Partial<T.RuleForm>), updatedAt: now(desk) }
  putRules(desk, desk.ruleList.map((r) => (r.id === id ? rule : r)))
  return { rule, pendingMatches: desk.matches }
}

function deleteRule(desk: FakeState, { at: [id], ifMatch }: Request): unknown {
  const rule = ruleOf(desk, id, ifMatch)
  putRules(desk, desk.ruleList.filter((r) => r.id !== id))
  return { rule, pendingMatches: 0 }
}

function moveRule(desk: FakeState, { body }: Request): unknown {
  const { ruleId, before } = body as { ruleId: string; before: string | null }
  const rule = ruleOf(desk, ruleId)
  const rest = desk.ruleList.toSorted(byJudgement).filter((r) => r.id !== ruleId)
  const at = before === null ? rest.length : rest.findIndex((r) => r.id === before)
  const order = [...rest.slice(0, at), rule, ...rest.slice(at)]
  putRules(desk, order.map((r, i) => ({ ...r, priority: order.length - i })))
  return ''
}

function importRules(desk: FakeState, { body }: Request): unknown {
  const brought = (body as { document: { rules: T.Rule[] } }).document.rules
  putRules(desk, [...desk.ruleList.filter((r) => !brought.some((b) => b.id === r.id)), ...brought])
  return { diff: { ...desk.diffNow, added: brought } }
}

function endGrant(desk: FakeState, { at: [id] }: Request): unknown {
  desk.grantList = desk.grantList.filter((g) => g.id !== id)
  desk.hint('grants.changed')
  return ''
}

/** Its version is another one when anything of the list is. */
function shownServers({ serverList: servers, secretsNow: secrets }: FakeState): { servers: T.Server[]; secrets: T.SecretsNotice; version: string } {
  return { servers, secrets, version: JSON.stringify(servers) }
}

function putServers(desk: FakeState, servers: T.Server[]): void {
  desk.serverList = servers
  desk.hint('servers.changed')
}

function saveServers(desk: FakeState, { body, ifMatch }: Request): unknown {
  if (ifMatch !== '' && ifMatch !== shownServers(desk).version) refuse('lost_update', 'the servers were changed meanwhile')
  const known = new Map(desk.serverList.map((s) => [s.id, s]))
  const sent = (body as { servers: T.Server[] }).servers
  putServers(desk, sent.map((s) => ({ ...known.get(s.id), toolPermissions: null, ...s, tools: known.get(s.id)?.tools ?? [], state: s.enabled ? known.get(s.id)?.state || 'idle' : 'disabled' })))
  return shownServers(desk)
}

function signIn(desk: FakeState, { at: [id], body }: Request): unknown {
  const { client } = body as { client?: T.SignInClient }
  if (client) desk.signInNow = { ...desk.signInNow, client: client.id === '' ? null : { ...client, secret: client.secret && '********' } }
  desk.serverList = desk.serverList.map((s) => (s.id === id ? { ...s, signIn: desk.signInNow } : s))
  return { signIn: desk.signInNow }
}

function signOut(desk: FakeState, { at: [id] }: Request): unknown {
  desk.serverList = desk.serverList.map((s) => (s.id === id ? { ...s, signIn: { ...desk.signOutNow, error: '' } } : s))
  return { signIn: desk.signOutNow }
}

function toolOf(desk: FakeState, server: string | undefined, name: string | undefined): T.ToolLook {
  return desk.toolLooks.find((l) => l.serverId === server && l.toolName === name) ?? refuse('not_found', 'no such tool')
}

function accepted(desk: FakeState, server: string, names: readonly string[]): unknown {
  desk.toolLooks = desk.toolLooks.filter((l) => l.serverId !== server || !names.includes(l.toolName))
  const without = (s: T.Server) => ({ ...s, changedTools: (s.changedTools ?? []).filter((name) => !names.includes(name)) })
  putServers(desk, desk.serverList.map((s) => (s.id === server ? without(s) : s)))
  return ''
}

function acceptTools(desk: FakeState, { at: [server = ''], body }: Request): unknown {
  const { tools } = body as { tools: ({ name: string } & T.ToolLook['shown'])[] }
  const asShown = ({ toolName, shown }: T.ToolLook) => JSON.stringify([toolName, shown.definition, shown.launch, shown.back])
  const known = new Set(desk.toolLooks.filter((l) => l.serverId === server).map(asShown))
  if (!tools.every((t) => known.has(JSON.stringify([t.name, t.definition, t.launch, t.back])))) refuse('stale', 'these tools changed again since they were shown')
  return accepted(desk, server, tools.map((t) => t.name))
}

function setToolRisk(desk: FakeState, { at: [id, toolName = ''], body }: Request): unknown {
  const { risk } = body as { risk: T.Risk | null }
  const level = risk === null ? [] : [{ toolName, risk, at: now(desk), void: false }]
  const levels = (s: T.Server) => [...(s.toolLevels ?? []).filter((l) => l.toolName !== toolName), ...level]
  putServers(desk, desk.serverList.map((s) => (s.id === id ? { ...s, toolLevels: levels(s) } : s)))
  return ''
}

function createAgent(desk: FakeState, { body }: Request): unknown {
  const agent = { id: `agent-${String(desk.rev)}`, name: (body as { name: string }).name, createdAt: now(desk), stoppedUntil: null, role: null, userId: '' }
  desk.agentList = [...desk.agentList, agent]
  desk.hint('agents.changed')
  return { agent, token: 'ska_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG' }
}

function deleteAgent(desk: FakeState, { at: [id] }: Request): unknown {
  desk.agentList = desk.agentList.filter((a) => a.id !== id)
  desk.hint('agents.changed')
  return ''
}

function stop(desk: FakeState, id: string | undefined, stoppedUntil: string | null): unknown {
  desk.agentList = desk.agentList.map((a) => (a.id === id ? { ...a, stoppedUntil } : a))
  desk.hint('agents.changed')
  return ''
}

function clientFile(desk: FakeState, id: string, shown: string, what: 'move' | 'back'): T.ClientFile {
  const file = desk.clientFiles.find((f) => f.id === id) ?? refuse('not_found', 'no such file of a client')
  return file[what]?.shown === shown ? file : refuse('stale', 'this file changed meanwhile')
}

function listClients({ clientFiles, apps, leftovers }: FakeState, { query }: Request): unknown {
  const files = query.get('hooks') === 'true' ? clientFiles : clientFiles.filter((f) => !f.entries.some((e) => e.hook))
  const chosen = [query.get('carry') ?? '', query.get('limits') === 'true' ? 'limits' : ''].filter(Boolean).join(' ')
  const shown = files.map((f) => (f.move && chosen !== '' ? { ...f, move: { ...f.move, shown: `${f.move.shown} ${chosen}` } } : f))
  return { machine: 'desk-host', program: '/usr/bin/sekisho', files: shown, apps, leftovers }
}

function tryClient(desk: FakeState, { at: [id = ''], body }: Request): unknown {
  clientFile(desk, id, (body as { shown: string }).shown.split(' ', 1).join(), 'move')
  return { servers: desk.trials }
}

function connectClient(desk: FakeState, { at: [id = ''], body }: Request): unknown {
  const { shown } = body as { shown: string }
  const file = clientFile(desk, id, shown.split(' ', 1).join(), 'move')
  desk.clientFiles = desk.clientFiles.map((f) => (f === file ? connected(f) : f))
  desk.written.push({ id, shown })
  const moved = file.entries.filter((e) => e.state === 'direct')
  return { moved: moved.filter((e) => !e.hook).length, hooks: moved.some((e) => e.hook), left: [] }
}

function disconnectClient(desk: FakeState, { at: [id = ''], body }: Request): unknown {
  const { shown, force } = body as { shown: string; force: boolean }
  const file = clientFile(desk, id, shown, 'back')
  desk.clientFiles = desk.clientFiles.map((f) => (f === file ? disconnected(f) : f))
  desk.written.push({ id, shown, force })
  return { removed: file.entries.filter((e) => e.state === 'behind').map((e) => e.serverId), kept: [] }
}

function removeLeftovers(desk: FakeState, { body }: Request): unknown {
  const { servers: removed } = body as { servers: string[] }
  if (!removed.every((id) => desk.leftovers.includes(id))) refuse('stale', 'one of them is not left over any more')
  desk.leftovers = desk.leftovers.filter((id) => !removed.includes(id))
  putServers(desk, desk.serverList.filter(({ id }) => !removed.includes(id)))
  return { removed, kept: [] }
}

function putSettings(desk: FakeState, settings: T.Settings): T.Settings {
  desk.settingsNow = settings
  desk.hint('settings.changed')
  return settings
}

function changeSettings(desk: FakeState, { body }: Request): unknown {
  const { window, reads, deadlines, retention, limits, hooks, patience, ...change } = body as T.SettingsChange
  const old = desk.settingsNow
  const waits = Object.entries({ ...old.patience, ...patience }).filter((entry): entry is [string, number] => entry[1] !== null)
  return putSettings(desk, {
    ...old,
    ...change,
    deadlines: { ...old.deadlines, ...deadlines },
    retention: { ...old.retention, ...retention },
    window: { ...old.window, ...window },
    reads: { ...old.reads, ...reads },
    hooks: { ...old.hooks, ...hooks },
    patience: Object.fromEntries(waits),
    limits: { ...old.limits, ...limits },
  })
}

function hold(desk: FakeState, { body }: Request): unknown {
  putSettings(desk, { ...desk.settingsNow, hold: (body as { on: boolean }).on })
  return body
}

function settleDifferences(desk: FakeState, { body }: Request): unknown {
  const { ids, take } = body as { ids: string[]; take: T.Version }
  desk.settled.push([take, ...ids])
  desk.differencesNow = desk.differencesNow.filter(({ id }) => !ids.includes(id))
  desk.hint('state.settled')
  return ''
}

const strength = { deny: 0, ask: 1, allow: 2 }

function byJudgement(a: T.Rule, b: T.Rule): number {
  return (
    b.priority - a.priority || strength[a.effect] - strength[b.effect] || a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id)
  )
}

function pause(desk: FakeState, { body }: Request): unknown {
  const { minutes } = body as { minutes: number }
  desk.pausedUntil = new Date(Date.now() + minutes * 60_000).toISOString()
  return { until: desk.pausedUntil }
}
