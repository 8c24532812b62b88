/** A desk in memory, for unit tests and for looking at screens without a desk. */
import type { Desk, RuleSaved } from './desk'
import { DeskError } from './desk-error'
import { connected, disconnected, noSettings, nothingChanged, nothingNew } from './fake-answers'
import type * as T from './types'
import type { Agent, Answer, Call, Hint, Info, NewAgent, PendingSnapshot, Resolution, Rule, RuleForm, Server, Settings } from './types'

/** As many as the desk gives at once. */
const queueLimit = 200

const noHistory: T.HistoryState = { state: 'none', files: 0, bytes: 0, calls: 0, result: null }

export class FakeDesk implements Desk {
  /** Every call, oldest first. Change them with put. */
  kept: Call[] = []
  inputs = new Map<string, string>()
  envelopes = new Map<string, string>()
  ruleList: Rule[] = []
  serverList: Server[] = []
  signInNow: T.SignIn = {
    state: 'waiting',
    issuer: 'https://auth.example',
    url: 'https://auth.example/authorize?state=x',
    error: '',
    wants: [],
    client: null,
  }
  signOutNow: T.SignIn = { state: 'none', issuer: '', url: '', error: '', wants: [], client: null }
  opened: string[] = []
  secretsNow: T.SecretsNotice = { where: '', trouble: '' }
  agentList: Agent[] = []
  clientFiles: T.ClientFile[] = []
  /** Servers of apps that are not connected any more. */
  leftovers: string[] = []
  /** What of a client's file was connected or put back, in order. */
  written: { id: string; shown: string; force?: boolean }[] = []
  settingsNow: Settings = noSettings
  troubleNow = ''
  differencesNow: T.Difference[] = []
  settled: string[][] = []
  endNow: { entry: string; seq: number } | null = null
  grantList: T.Grant[] = []
  /** What the desk says of tools that were declined again and again. */
  declined: T.DeclinedTool[] = []
  /** What look says of a call; nothing where it is not set. */
  looks = new Map<string, T.Look>()
  /** What attend was told, in order. */
  attention: (T.Attention | null)[] = []
  findings: T.Finding[] = []
  previewNow: T.Preview = nothingChanged
  widenings: T.Offer[] = []
  reachNow: T.Reach = { answer: 'no', rules: [], total: 0 }
  /** What reach was asked, in order. */
  reached: T.ReachQuery[] = []
  suggested: T.Suggestion[] = []
  historyNow: T.HistoryState = noHistory
  verdictNow: T.Verdict = { decision: 'ask', code: 'no_rule', params: {}, reason: 'no rule applies', rule: null, risk: 'medium', riskReasons: [], parts: [], trace: [] }
  diffNow: T.RuleDiff = { added: [], changed: [], removed: [], same: 0, allows: [], narrower: nothingNew, policyVersion: 1 }
  testNow: T.ServerTest = { ok: true, tools: ['read_file'], flaggedTools: [], error: '', stderr: '' }
  /** The tools that changed. */
  toolLooks: T.ToolLook[] = []
  saved: { name: string; text: string }[] = []
  /** What pendingMatches says of every rule that is saved, and release answers. */
  matches = 0
  /** All answers that arrived, in order. */
  answers: { callId: string; answer: Answer }[] = []
  /** A method named here fails so, until it is removed. */
  failures = new Map<keyof Desk, DeskError>()
  rev = 1
  deskId = 'desk-1'
  isRenewed = false
  isCompact = false
  #listeners = new Set<(hint: Hint) => void>()
  #compactListeners = new Set<(compact: boolean) => void>()

  /** Adds or replaces a call and tells the listeners. */
  put(call: Call, input?: string): void {
    this.kept = this.kept.some((c) => c.id === call.id) ? this.kept.map((c) => (c.id === call.id ? call : c)) : [...this.kept, call]
    if (input !== undefined) this.inputs.set(call.id, input)
    this.hint('call.changed', call.id)
  }

  /** Settles a call behind the front end's back. */
  settle(id: string, status: Call['status']): void {
    const old = this.#call(id)
    this.put({ ...old, status, rev: old.rev + 1 })
  }

  /** Whether it says that its events come; hints come all the same. */
  eventsNow = false

  hasEvents(): boolean {
    return this.eventsNow
  }

  hint(kind: string, callId?: string): void {
    this.rev++
    for (const tell of [...this.#listeners]) tell({ kind, ...(callId === undefined ? {} : { callId }) })
  }

  pending(cursor = '0'): Promise<PendingSnapshot> {
    return this.#answer('pending', () => {
      const [from, waiting] = [Number(cursor), this.kept.filter((c) => c.status === 'pending')]
      const next = waiting.length > from + queueLimit ? String(from + queueLimit) : null
      return { desk: this.deskId, rev: this.rev, now: '', items: waiting.slice(from, from + queueLimit), next, declined: this.declined }
    })
  }

  /** Makes the window small, or whole. */
  compact(on: boolean): void {
    this.isCompact = on
    for (const tell of this.#compactListeners) tell(on)
  }

  renewed(): Promise<boolean> {
    return Promise.resolve(this.isRenewed)
  }

  onCompact(listener: (compact: boolean) => void): () => void {
    this.#compactListeners.add(listener)
    listener(this.isCompact)
    return () => {
      this.#compactListeners.delete(listener)
    }
  }

  expand(): Promise<void> {
    return this.#answer('expand', () => {
      this.compact(false)
    })
  }

  input(callId: string): Promise<string> {
    return this.#answer('input', () => this.inputs.get(callId) ?? '{}')
  }

  envelope(callId: string): Promise<string> {
    return this.#answer('envelope', () => this.envelopes.get(callId) ?? '{}')
  }

  look(callId: string): Promise<T.Look> {
    return this.#answer('look', () => this.looks.get(callId) ?? { summary: null, file: null, command: null, last: null, flags: [] })
  }

  attend(shown: T.Attention | null): Promise<void> {
    this.attention.push(shown)
    return this.#answer('attend', () => undefined)
  }

  extend(callId: string, seconds: number): Promise<Call> {
    return this.#answer('extend', () => {
      const old = this.#call(callId)
      const call = {
        ...old,
        rev: old.rev + 1,
        expiresAt: old.expiresAt === null ? null : new Date(Date.parse(old.expiresAt) + seconds * 1000).toISOString(),
      }
      this.put(call)
      return call
    })
  }

  wipeInput(callId: string): Promise<void> {
    return this.#answer('wipeInput', () => {
      this.put({ ...this.#call(callId), inputWiped: true })
    })
  }

  forgetDenial(callId: string): Promise<void> {
    return this.#answer('forgetDenial', () => {
      this.#call(callId)
    })
  }

  demo(): Promise<void> {
    return this.#answer('demo', () => undefined)
  }

  decide(callId: string, answer: Answer): Promise<{ call: Call; settled: string[]; repeated: boolean }> {
    this.answers.push({ callId, answer }) // at once, so that a test can say that none came
    return this.#answer('decide', () => {
      const old = this.#call(callId)
      const decision = {
        ...undecided,
        by: 'person',
        approved: answer.approved,
        code: null,
      params: {},
      reason: answer.reason,
        scope: answer.scope ?? 'once',
        decidedAt: new Date().toISOString(),
      }
      const call: Call = { ...old, rev: old.rev + 1, status: answer.approved ? 'approved' : 'declined', decision }
      this.put(call)
      return { call, settled: [], repeated: false }
    })
  }

  resolve(callId: string, action: Resolution): Promise<Call> {
    return this.#answer('resolve', () => {
      const old = this.#call(callId)
      if (old.status !== 'in_doubt')
        throw new DeskError({ code: 'already_decided', message: `this call is not in doubt: it is ${old.status}`, call: old })
      const call: Call = { ...old, rev: old.rev + 1, status: action === 'retry' ? 'approved' : 'failed' }
      this.put(call)
      return call
    })
  }

  release(ruleId: string): Promise<number> {
    return this.#answer('release', () => {
      this.#rule(ruleId, '')
      const released = this.matches
      this.matches = 0
      return released
    })
  }

  rules(): Promise<{ rules: Rule[]; policyVersion: number }> {
    return this.#answer('rules', () => ({ rules: this.ruleList.toSorted(byJudgement), policyVersion: this.rev }))
  }

  createRule(form: RuleForm): Promise<RuleSaved> {
    return this.#answer('createRule', () => {
      const at = this.#now()
      const rule = {
        method: null,
        condition: null,
        expiresAt: null,
        limit: null,
        id: this.#ruleId(),
        ...form,
        examples: [],
        createdAt: at,
        updatedAt: at,
        hits: 0,
        lastHitAt: null,
      }
      this.ruleList = [...this.ruleList, rule]
      this.hint('rules.changed')
      return { rule, pendingMatches: this.matches }
    })
  }

  updateRule(id: string, changes: Partial<RuleForm>, ifMatch: string): Promise<RuleSaved> {
    return this.#answer('updateRule', () => {
      const rule = { ...this.#rule(id, ifMatch), ...changes, updatedAt: this.#now() }
      this.ruleList = this.ruleList.map((r) => (r.id === id ? rule : r))
      this.hint('rules.changed')
      return { rule, pendingMatches: this.matches }
    })
  }

  deleteRule(id: string, ifMatch: string): Promise<RuleSaved & { document: string }> {
    return this.#answer('deleteRule', () => {
      const rule = this.#rule(id, ifMatch)
      this.ruleList = this.ruleList.filter((r) => r.id !== id)
      this.hint('rules.changed')
      return { rule, pendingMatches: 0, document: JSON.stringify({ format: 'sekisho.rules', version: 1, rules: [rule] }) }
    })
  }

  moveRule(id: string, before: string | null): Promise<void> {
    return this.#answer('moveRule', () => {
      const rule = this.#rule(id, '')
      const rest = this.ruleList.toSorted(byJudgement).filter((r) => r.id !== id)
      const at = before === null ? rest.length : rest.findIndex((r) => r.id === before)
      const order = [...rest.slice(0, at), rule, ...rest.slice(at)]
      this.ruleList = order.map((r, i) => ({ ...r, priority: order.length - i }))
      this.hint('rules.changed')
    })
  }

  preview(): Promise<T.Preview> {
    return this.#answer('preview', () => this.previewNow)
  }

  lint(): Promise<T.Finding[]> {
    return this.#answer('lint', () => this.findings)
  }

  evaluate(): Promise<T.Verdict> {
    return this.#answer('evaluate', () => this.verdictNow)
  }

  suggestions(): Promise<T.Suggestion[]> {
    return this.#answer('suggestions', () => this.suggested)
  }

  history(): Promise<T.HistoryState> {
    return this.#answer('history', () => this.historyNow)
  }

  readHistory(): Promise<T.HistoryState> {
    return this.#answer('readHistory', () => (this.historyNow = { ...this.historyNow, state: 'reading', result: null }))
  }

  forgetHistory(): Promise<T.HistoryState> {
    return this.#answer('forgetHistory', () => (this.historyNow = noHistory))
  }

  widen(): Promise<T.Offer[]> {
    return this.#answer('widen', () => this.widenings)
  }

  reach(query: T.ReachQuery): Promise<T.Reach> {
    return this.#answer('reach', () => {
      this.reached.push(query)
      return this.reachNow
    })
  }

  exportRules(): Promise<string> {
    return this.#answer('exportRules', () => JSON.stringify({ format: 'sekisho.rules', version: 1, rules: this.ruleList }))
  }

  diffRules(): Promise<T.RuleDiff> {
    return this.#answer('diffRules', () => this.diffNow)
  }

  importRules(document: string): Promise<T.RuleDiff> {
    return this.#answer('importRules', () => {
      const brought = (JSON.parse(document) as { rules: Rule[] }).rules
      this.ruleList = [...this.ruleList.filter((r) => !brought.some((b) => b.id === r.id)), ...brought]
      this.hint('rules.changed')
      return { ...this.diffNow, added: brought }
    })
  }

  grants(): Promise<T.Grant[]> {
    return this.#answer('grants', () => this.grantList)
  }

  endGrant(id: string): Promise<void> {
    return this.#answer('endGrant', () => {
      this.grantList = this.grantList.filter((g) => g.id !== id)
      this.hint('grants.changed')
    })
  }

  servers(): Promise<Server[]> {
    return this.#answer('servers', () => this.serverList)
  }

  secrets(): Promise<T.SecretsNotice> {
    return this.#answer('secrets', () => this.secretsNow)
  }

  versionedServers(): Promise<{ servers: Server[]; version: string }> {
    return this.#answer('versionedServers', () => ({ servers: this.serverList, version: this.#serversVersion() }))
  }

  saveServers(servers: Server[], version: string): Promise<Server[]> {
    return this.#answer('saveServers', () => {
      if (version !== '' && version !== this.#serversVersion())
        throw new DeskError({ code: 'lost_update', message: 'the servers were changed meanwhile' })
      this.serverList = servers.map((s) => ({ ...s, state: s.enabled ? s.state || 'idle' : 'disabled' }))
      this.hint('servers.changed')
      return this.serverList
    })
  }

  signIn(serverId: string, client?: T.SignInClient): Promise<T.SignIn> {
    return this.#answer('signIn', () => {
      if (client)
        this.signInNow = { ...this.signInNow, client: client.id === '' ? null : { ...client, secret: client.secret && '********' } }
      this.serverList = this.serverList.map((s) => (s.id === serverId ? { ...s, signIn: this.signInNow } : s))
      return this.signInNow
    })
  }

  signOut(serverId: string): Promise<T.SignIn> {
    return this.#answer('signOut', () => {
      this.serverList = this.serverList.map((s) => (s.id === serverId ? { ...s, signIn: { ...this.signOutNow, error: '' } } : s))
      return this.signOutNow
    })
  }

  openPage(url: string): void {
    this.opened.push(url)
  }

  testServer(): Promise<T.ServerTest> {
    return this.#answer('testServer', () => this.testNow)
  }

  tool(serverId: string, name: string): Promise<T.ToolLook> {
    return this.#answer('tool', () => {
      const found = this.toolLooks.find((l) => l.serverId === serverId && l.toolName === name)
      if (!found) throw new DeskError({ code: 'not_found', message: 'no such tool' })
      return found
    })
  }

  acceptTool(shown: T.ToolLook): Promise<void> {
    return this.#answer('acceptTool', () => {
      this.#accepted(shown.serverId, [shown.toolName])
    })
  }

  setToolRisk(serverId: string, name: string, risk: T.Risk | null): Promise<void> {
    return this.#answer('setToolRisk', () => {
      const level = risk === null ? [] : [{ toolName: name, risk, at: this.#now(), void: false }]
      this.serverList = this.serverList.map((s) =>
        s.id === serverId ? { ...s, toolLevels: [...(s.toolLevels ?? []).filter((l) => l.toolName !== name), ...level] } : s,
      )
      this.hint('servers.changed')
    })
  }

  acceptTools(serverId: string, shown: readonly T.ToolLook[]): Promise<void> {
    return this.#answer('acceptTools', () => {
      const same = (a: T.ToolLook, b: T.ToolLook) =>
        a.serverId === b.serverId && a.toolName === b.toolName && JSON.stringify(a.shown) === JSON.stringify(b.shown)
      if (!shown.every((look) => this.toolLooks.some((now) => same(look, now))))
        throw new DeskError({ code: 'stale', message: 'these tools changed again since they were shown' })
      this.#accepted(
        serverId,
        shown.map((look) => look.toolName),
      )
    })
  }

  agents(): Promise<Agent[]> {
    return this.#answer('agents', () => this.agentList)
  }

  createAgent(name: string): Promise<NewAgent> {
    return this.#answer('createAgent', () => {
      const agent = { id: `agent-${String(this.rev)}`, name, createdAt: this.#now() }
      this.agentList = [...this.agentList, agent]
      this.hint('agents.changed')
      return { agent, token: 'ska_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG', tokenFile: '' }
    })
  }

  deleteAgent(id: string): Promise<void> {
    return this.#answer('deleteAgent', () => {
      this.agentList = this.agentList.filter((a) => a.id !== id)
      this.hint('agents.changed')
    })
  }

  clients(): Promise<T.ClientFiles> {
    return this.#answer('clients', () => ({
      machine: 'desk-host',
      program: '/usr/bin/sekisho',
      files: this.clientFiles,
      leftovers: this.leftovers,
    }))
  }

  connectClient(id: string, shown: string): Promise<T.ClientConnected> {
    return this.#answer('connectClient', () => {
      const file = this.#clientFile(id, shown, 'move')
      this.clientFiles = this.clientFiles.map((f) => (f === file ? connected(f) : f))
      this.written.push({ id, shown })
      return { moved: file.entries.filter((e) => e.state === 'direct').length, left: [] }
    })
  }

  disconnectClient(id: string, shown: string, force: boolean): Promise<T.ClientDisconnected> {
    return this.#answer('disconnectClient', () => {
      const file = this.#clientFile(id, shown, 'back')
      this.clientFiles = this.clientFiles.map((f) => (f === file ? disconnected(f) : f))
      this.written.push({ id, shown, force })
      return { removed: file.entries.filter((e) => e.state === 'behind').map((e) => e.serverId), kept: [] }
    })
  }

  removeLeftovers(servers: readonly string[]): Promise<T.ClientDisconnected> {
    return this.#answer('removeLeftovers', () => {
      if (!servers.every((id) => this.leftovers.includes(id)))
        throw new DeskError({ code: 'stale', message: 'one of them is not left over any more' })
      this.leftovers = this.leftovers.filter((id) => !servers.includes(id))
      this.serverList = this.serverList.filter(({ id }) => !servers.includes(id))
      this.hint('servers.changed')
      return { removed: [...servers], kept: [] }
    })
  }

  calls({ cursor, text = '', statuses = [] }: T.CallsFilter): Promise<{ calls: Call[]; next: string | null }> {
    return this.#answer('calls', () => {
      const from = Number(cursor ?? 0)
      const wanted = (c: Call) =>
        (statuses.length === 0 || statuses.includes(c.status)) &&
        `${c.toolName} ${c.serverId ?? ''} ${c.agentName} ${c.sessionId}`.toLowerCase().includes(text.toLowerCase())
      const newest = this.kept.filter(wanted).toReversed()
      return { calls: newest.slice(from, from + 20), next: newest.length > from + 20 ? String(from + 20) : null }
    })
  }

  call(callId: string): Promise<Call> {
    return this.#answer('call', () => this.#call(callId))
  }

  journal(): Promise<{ entries: string[]; next: number | null }> {
    return this.#answer('journal', () => ({
      entries: this.kept.map((c, i) => JSON.stringify({ seq: i + 1, kind: 'call.created', callId: c.id })),
      next: null,
    }))
  }

  journalEnd(): Promise<{ entry: string; seq: number } | null> {
    return this.#answer('journalEnd', () => this.endNow)
  }

  differences(): Promise<T.Difference[]> {
    return this.#answer('differences', () => this.differencesNow)
  }

  settleDifferences(ids: readonly string[], take: T.Version): Promise<void> {
    return this.#answer('settleDifferences', () => {
      this.settled.push([take, ...ids])
      this.differencesNow = this.differencesNow.filter(({ id }) => !ids.includes(id))
      this.hint('state.settled')
    })
  }

  settings(): Promise<Settings> {
    return this.#answer('settings', () => this.settingsNow)
  }

  changeSettings({ window, reads, deadlines, retention, limits, patience, ...change }: T.SettingsChange): Promise<Settings> {
    return this.#answer('changeSettings', () => {
      const old = this.settingsNow
      this.settingsNow = {
        ...old,
        ...change,
        deadlines: { ...old.deadlines, ...deadlines },
        retention: { ...old.retention, ...retention },
        window: { ...old.window, ...window },
        reads: { ...old.reads, ...reads },
        patience: Object.fromEntries(
          Object.entries({ ...old.patience, ...patience }).filter((entry): entry is [string, number] => entry[1] !== null),
        ),
        limits: { ...old.limits, ...limits },
      }
      this.hint('settings.changed')
      return this.settingsNow
    })
  }

  trouble(): Promise<string> {
    return this.#answer('trouble', () => this.troubleNow)
  }

  hold(on: boolean): Promise<void> {
    return this.#answer('hold', () => {
      this.settingsNow = { ...this.settingsNow, hold: on }
      this.hint('settings.changed')
    })
  }

  saveFile(name: string, text: string): Promise<boolean> {
    return this.#answer('saveFile', () => {
      this.saved.push({ name, text })
      return true
    })
  }

  subscribe(onHint: (hint: Hint) => void): () => void {
    this.#listeners.add(onHint)
    return () => {
      this.#listeners.delete(onHint)
    }
  }

  info(): Promise<Info> {
    return this.#answer('info', () => ({ version: '0.0.0', face: 'fake' as const, canOperate: true, agentsUrl: 'http://127.0.0.1:7360' }))
  }

  async #answer<T>(method: keyof Desk, make: () => T): Promise<T> {
    await Promise.resolve()
    const failure = this.failures.get(method)
    if (failure) throw failure
    return make()
  }

  #call(id: string): Call {
    const found = this.kept.find((c) => c.id === id)
    if (!found) throw new DeskError({ code: 'not_found', message: 'no such call' })
    return found
  }

  #accepted(serverId: string, names: readonly string[]): void {
    this.toolLooks = this.toolLooks.filter((l) => l.serverId !== serverId || !names.includes(l.toolName))
    this.serverList = this.serverList.map((s) =>
      s.id === serverId ? { ...s, changedTools: (s.changedTools ?? []).filter((name) => !names.includes(name)) } : s,
    )
    this.hint('servers.changed')
  }

  #clientFile(id: string, shown: string, what: 'move' | 'back'): T.ClientFile {
    const found = this.clientFiles.find((f) => f.id === id)
    if (!found) throw new DeskError({ code: 'not_found', message: 'no such file of a client' })
    if (found[what]?.shown !== shown) throw new DeskError({ code: 'stale', message: 'this file changed meanwhile' })
    return found
  }

  /** One that no rule has. */
  #ruleId(): string {
    let n = this.rev
    while (this.ruleList.some((r) => r.id === `rule-${String(n)}`)) n++
    return `rule-${String(n)}`
  }

  #rule(id: string, ifMatch: string): Rule {
    const found = this.ruleList.find((r) => r.id === id)
    if (!found) throw new DeskError({ code: 'not_found', message: 'no such rule' })
    if (ifMatch !== '' && found.updatedAt !== ifMatch)
      throw new DeskError({ code: 'lost_update', message: 'the rule was changed meanwhile' })
    return found
  }

  /** Another one when anything of the list is. */
  #serversVersion(): string {
    return JSON.stringify(this.serverList)
  }

  /** Strictly increasing, as the desk's own updatedAt. */
  #now(): string {
    return new Date(Date.UTC(2026, 0, 1) + this.rev).toISOString()
  }
}

/** What a decision says where nothing else is said. */
const undecided = {
  by: '',
  approved: false,
  code: null,
      params: {},
      reason: '',
  scope: 'once',
  ruleId: null,
  grantId: null,
  decidedAt: '',
  remembered: null,
  count: 0,
}

const strength = { deny: 0, ask: 1, allow: 2 }

function byJudgement(a: Rule, b: Rule): number {
  return (
    b.priority - a.priority || strength[a.effect] - strength[b.effect] || a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id)
  )
}
