import { Client, parsed, withRaw } from './client'
import type { Desk, RuleSaved } from './desk'
import type { InsightsDesk } from './insights-rows'
import type { RolesDesk } from './roles-rows'
import type { WorkDesk } from './work-rows'
import { DeskError } from './desk-error'
import { elements, member } from './raw-json'
import { read, whole } from './read'
import { seen } from './seen'
import type { Transport } from './transport'
import type * as T from './types'

const queueLimit = 200
const pageSize = 100
const journalPage = 500
/** So many conditions the desk says at once. */
const wordingsAtOnce = 1000
const serverPatienceMs = 30_000
/** The desk asks the server and its authorization server for a minute at most. */
const signInPatienceMs = 70_000
/** The app itself runs for two minutes at most, and another check may run before it. */
const checkPatienceMs = 600_000

const call = (id: string) => `/v1/calls/${encodeURIComponent(id)}`
const tool = (serverId: string, name: string) => `/v1/servers/${encodeURIComponent(serverId)}/tools/${encodeURIComponent(name)}`
const signIn = (serverId: string) => `/v1/servers/${encodeURIComponent(serverId)}/sign-in`
const clientFile = (id: string) => `/v1/connections/${encodeURIComponent(id)}`
const rule = (id: string) => `/v1/rules/${encodeURIComponent(id)}`

/** A cursor as the front end hands it on; 0 is the end, too. */
const cursorOf = (next: number | null) => (next ? String(next) : null)

/** The desk by its REST rows (CONTRACT section 4), whichever way requests get there. */
export abstract class RestDesk implements Desk {
  readonly #rows: Client

  constructor(transport: Transport) {
    this.#rows = new Client(transport)
  }

  abstract saveFile(name: string, text: string): Promise<boolean>
  abstract subscribe(onHint: (hint: T.Hint) => void): () => void
  abstract hasEvents(): boolean
  abstract onEvents(listener: () => void): () => void
  abstract info(): Promise<T.Info>

  async pending(cursor?: string): Promise<T.PendingSnapshot> {
    const from = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const path = `/v1/calls?status=pending&order=oldest&brief=true&limit=${String(queueLimit)}${from}`
    const { calls: items, next, ...page } = read('ListCallsOutBody', await this.#rows.json('GET', path))
    return { ...page, items, next: cursorOf(next) }
  }

  /** Only a window loads its page anew. */
  renewed(): Promise<boolean> {
    return Promise.resolve(false)
  }

  /** Only a window can be small. */
  onCompact(listener: (compact: boolean) => void): () => void {
    listener(false)
    return () => undefined
  }

  expand(): Promise<void> {
    return Promise.resolve()
  }

  input(callId: string): Promise<string> {
    return this.#rows.text('GET', `${call(callId)}/input`)
  }

  envelope(callId: string): Promise<string> {
    return this.#rows.text('GET', `${call(callId)}/envelope`)
  }

  async look(callId: string): Promise<T.Look> {
    return read('Look', await this.#rows.json('GET', `${call(callId)}/look`))
  }

  async attend(shown: T.Attention | null): Promise<void> {
    await this.#rows.json('POST', '/v1/attention', shown ?? { callId: null, rev: 0 })
  }

  async insights(): Promise<InsightsDesk> {
    return (await import('./insights-rows')).insightsOf(this.#rows)
  }

  async roles(): Promise<RolesDesk> {
    return (await import('./roles-rows')).rolesOf(this.#rows)
  }

  async work(): Promise<WorkDesk> {
    return (await import('./work-rows')).workOf(this.#rows)
  }

  async decide(
    callId: string,
    { input, resumeData, ...answer }: T.Answer,
  ): Promise<{ call: T.Call; settled: string[]; repeated: boolean }> {
    return read('DecideOutBody', parsed(await this.#rows.text('POST', `${call(callId)}/decision`, withRaw({ ...answer }, { input, resumeData }))))
  }

  async extend(callId: string, seconds: number): Promise<T.Call> {
    return read('CallBody', await this.#rows.json('POST', `${call(callId)}/extend`, { seconds })).call
  }

  async resolve(callId: string, action: T.Resolution): Promise<T.Call> {
    return read('CallBody', await this.#rows.json('POST', `${call(callId)}/resolve`, { action })).call
  }

  async release(ruleId: string): Promise<number> {
    return read('ReleaseOutBody', await this.#rows.json('POST', '/v1/calls/release', { ruleId })).released
  }

  async wipeInput(callId: string): Promise<void> {
    await this.#rows.json('DELETE', `${call(callId)}/input`)
  }

  async forgetDenial(callId: string): Promise<void> {
    await this.#rows.json('DELETE', `${call(callId)}/denial`)
  }

  async demo(): Promise<void> {
    await this.#rows.json('POST', '/v1/demo')
  }

  async rules(): Promise<{ rules: T.Rule[]; policyVersion: number }> {
    return read('RulesBody', await this.#rows.json('GET', '/v1/rules'))
  }

  async createRule(form: T.RuleForm): Promise<RuleSaved> {
    return read('RuleOutBody', await this.#rows.json('POST', '/v1/rules', form))
  }

  async updateRule(id: string, changes: Partial<T.RuleForm>, ifMatch: string): Promise<RuleSaved> {
    return read('RuleOutBody', await this.#rows.json('PATCH', rule(id), changes, seen(ifMatch)))
  }

  async deleteRule(id: string, ifMatch: string): Promise<RuleSaved & { document: string }> {
    const raw = await this.#rows.text('DELETE', rule(id), undefined, seen(ifMatch))
    const document = withRaw({ format: 'sekisho.rules', version: 1 }, { rules: `[${member(raw, 'rule')}]` })
    return { ...read('RuleOutBody', parsed(raw)), document }
  }

  async moveRule(ruleId: string, before: string | null, policyVersion: number): Promise<void> {
    await this.#rows.json('POST', '/v1/rules/move', { ruleId, before, policyVersion })
  }

  async preview(change: T.RuleChange): Promise<T.Preview> {
    return read('Preview', await this.#rows.json('POST', '/v1/rules/preview', { change }))
  }

  async lint(change?: T.RuleChange): Promise<T.Finding[]> {
    return read('FindingsOutBody', await this.#rows.json('POST', '/v1/rules/lint', change ? { change } : {})).findings
  }

  async wordings(conditions: readonly string[]): Promise<T.Wording[]> {
    const all: T.Wording[] = []
    for (let at = 0; at < conditions.length; at += wordingsAtOnce)
      all.push(...(await this.#word(conditions.slice(at, at + wordingsAtOnce).map((condition) => ({ condition })))))
    return all
  }

  async conditionOf(clauses: readonly T.Clause[]): Promise<T.Wording> {
    const [made] = await this.#word([{ clauses }])
    if (!made) throw new DeskError({ code: 'malformed_answer', message: 'no condition' })
    return made
  }

  async #word(asked: readonly object[]): Promise<T.Wording[]> {
    return read('WordingsOutBody', await this.#rows.json('POST', '/v1/rules/wordings', { asked })).wordings
  }

  async evaluate({ input, envelope, ...query }: T.Query): Promise<T.Verdict> {
    return read('Verdict', parsed(await this.#rows.text('POST', '/v1/evaluate', withRaw({ ...query }, { input, envelope }))))
  }

  async suggestions(): Promise<T.Suggestion[]> {
    return read('SuggestionsOutBody', await this.#rows.json('GET', '/v1/suggestions')).suggestions
  }

  history(): Promise<T.HistoryState> {
    return this.#history('GET')
  }

  readHistory(): Promise<T.HistoryState> {
    return this.#history('POST')
  }

  forgetHistory(): Promise<T.HistoryState> {
    return this.#history('DELETE')
  }

  async #history(method: 'GET' | 'POST' | 'DELETE'): Promise<T.HistoryState> {
    return read('HistoryState', await this.#rows.json(method, '/v1/history'))
  }

  async widen(of: T.OfferedFor): Promise<T.Offer[]> {
    const { rules, choices } = read('Choices', await this.#rows.json('POST', '/v1/rules/widen', of))
    return choices.flatMap((choice, i) => (rules[i] ? [{ ...choice, rule: rules[i] }] : []))
  }

  async reach(query: T.ReachQuery): Promise<T.Reach> {
    return read('Reach', await this.#rows.json('POST', '/v1/rules/reach', query))
  }

  exportRules(): Promise<string> {
    return this.#rows.text('GET', '/v1/policy')
  }

  async diffRules(document: string, mode: T.ImportMode): Promise<T.RuleDiff> {
    return read('DiffOutBody', parsed(await this.#rows.text('POST', '/v1/policy/diff', withRaw({ mode }, { document })))).diff
  }

  async importRules(document: string, mode: T.ImportMode, policyVersion: number | null, accept: string[]): Promise<T.RuleDiff> {
    const body = withRaw({ mode, accept, ...(policyVersion !== null && { ifVersion: policyVersion }) }, { document })
    return read('DiffOutBody', parsed(await this.#rows.text('POST', '/v1/policy/import', body))).diff
  }

  async grants(): Promise<T.Grant[]> {
    return read('GrantsOutBody', await this.#rows.json('GET', '/v1/grants')).grants
  }

  async endGrant(id: string): Promise<void> {
    await this.#rows.json('DELETE', `/v1/grants/${encodeURIComponent(id)}`)
  }

  async servers(): Promise<T.Server[]> {
    return (await this.versionedServers()).servers
  }

  async versionedServers(): Promise<{ servers: T.Server[]; version: string }> {
    return read('ServersOutBody', await this.#rows.json('GET', '/v1/servers'))
  }

  async secrets(): Promise<T.SecretsNotice> {
    return read('ServersOutBody', await this.#rows.json('GET', '/v1/servers')).secrets
  }

  async saveServers(servers: T.Server[], version: string): Promise<T.Server[]> {
    return read('ServersOutBody', await this.#rows.json('PUT', '/v1/servers', { servers: servers.map(serverOut) }, seen(version))).servers
  }

  async signIn(serverId: string, client?: T.SignInClient): Promise<T.SignIn> {
    const more = { patienceMs: signInPatienceMs }
    return read('SignInOutBody', await this.#rows.json('POST', signIn(serverId), client && { client }, more)).signIn
  }

  async signOut(serverId: string): Promise<T.SignIn> {
    return read('SignInOutBody', await this.#rows.json('DELETE', signIn(serverId))).signIn
  }

  openPage(url: string): void {
    window.open(url, '_blank', 'noopener,noreferrer')
  }

  async testServer(server: T.Server): Promise<T.ServerTest> {
    const more = { patienceMs: serverPatienceMs }
    return read('TestServerOutBody', await this.#rows.json('POST', '/v1/servers/test', { server: serverOut(server) }, more))
  }

  async tool(serverId: string, name: string): Promise<T.ToolLook> {
    return read('ToolOutBody', await this.#rows.json('GET', tool(serverId, name))).tool
  }

  async acceptTool({ serverId, toolName, shown }: T.ToolLook): Promise<void> {
    await this.#rows.json('POST', `${tool(serverId, toolName)}/accept`, shown)
  }

  async setToolRisk(serverId: string, name: string, risk: T.Risk | null): Promise<void> {
    await this.#rows.json('PUT', `${tool(serverId, name)}/risk`, { risk })
  }

  async acceptTools(serverId: string, shown: readonly T.ToolLook[]): Promise<void> {
    await this.#rows.json('POST', `/v1/servers/${encodeURIComponent(serverId)}/tools/accept`, {
      tools: shown.map((l) => ({ name: l.toolName, ...l.shown })),
    })
  }

  async agents(): Promise<T.Agent[]> {
    return read('ListAgentsOutBody', await this.#rows.json('GET', '/v1/agents')).agents
  }

  async createAgent(name: string): Promise<T.NewAgent> {
    return { ...read('CreateAgentOutBody', await this.#rows.json('POST', '/v1/agents', { name })), tokenFile: '' }
  }

  async deleteAgent(id: string): Promise<void> {
    await this.#rows.json('DELETE', `/v1/agents/${encodeURIComponent(id)}`)
  }

  async stopAgent(id: string): Promise<void> {
    await this.#rows.json('POST', `/v1/agents/${encodeURIComponent(id)}/stop`, {})
  }

  async resumeAgent(id: string): Promise<void> {
    await this.#rows.json('POST', `/v1/agents/${encodeURIComponent(id)}/resume`, {})
  }

  async clients({ carry, hooks, limits }: T.ClientChoice): Promise<T.ClientFiles> {
    const query = new URLSearchParams({ hooks: String(hooks), limits: String(limits) })
    if (carry.length > 0) query.set('carry', carry.join(','))
    return read('ClientList', await this.#rows.json('GET', `/v1/connections?${String(query)}`))
  }

  async tryClient(id: string, shown: string, choice: T.ClientChoice): Promise<T.ClientTrial[]> {
    const body = { shown, ...choice }
    return read('ClientTrials', await this.#rows.json('POST', `${clientFile(id)}/try`, body, { patienceMs: checkPatienceMs })).servers
  }

  async connectClient(id: string, shown: string, choice: T.ClientChoice): Promise<T.ClientConnected> {
    return read('ClientConnected', await this.#rows.json('POST', `${clientFile(id)}/connect`, { shown, ...choice }))
  }

  async proveClient(id: string): Promise<T.ClientProof[]> {
    return read('ClientProofs', await this.#rows.json('POST', `${clientFile(id)}/prove`, undefined, { patienceMs: checkPatienceMs })).servers
  }

  async disconnectClient(id: string, shown: string, force: boolean): Promise<T.ClientDisconnected> {
    return read('ClientDisconnected', await this.#rows.json('POST', `${clientFile(id)}/disconnect`, { shown, force }))
  }

  async checkClient(id: string): Promise<T.ClientCheck> {
    return read('ClientCheck', await this.#rows.json('POST', `${clientFile(id)}/check`, undefined, { patienceMs: checkPatienceMs }))
  }

  async removeLeftovers(servers: readonly string[]): Promise<T.ClientDisconnected> {
    return read('ClientDisconnected', await this.#rows.json('POST', '/v1/connections/leftovers/remove', { servers }))
  }

  async calls({ cursor, text = '', statuses = [] }: T.CallsFilter): Promise<{ calls: T.Call[]; next: string | null }> {
    const query = new URLSearchParams({ brief: 'true', limit: String(pageSize) })
    if (statuses.length > 0) query.set('status', statuses.join(','))
    if (text !== '') query.set('q', text)
    if (cursor !== null) query.set('cursor', cursor)
    const page = read('ListCallsOutBody', await this.#rows.json('GET', `/v1/calls?${query.toString()}`))
    return { calls: page.calls, next: cursorOf(page.next) }
  }

  async call(callId: string): Promise<T.Call> {
    return read('CallBody', await this.#rows.json('GET', call(callId))).call
  }

  async journal(after: number): Promise<{ entries: string[]; next: number | null }> {
    const raw = await this.#rows.text('GET', `/v1/journal?after=${String(after)}&limit=${String(journalPage)}`)
    const next = parsed(raw).next
    return { entries: elements(member(raw, 'entries')), next: typeof next === 'number' ? next : null }
  }

  async journalEnd(): Promise<{ entry: string; seq: number } | null> {
    try {
      const raw = member(await this.#rows.text('GET', '/v1/journal/end'), 'entry')
      return { entry: raw, seq: whole(parsed(raw).seq) }
    } catch (error) {
      if (DeskError.from(error).code === 'unavailable') return null
      throw error
    }
  }

  async settings(): Promise<T.Settings> {
    return read('Settings', await this.#rows.json('GET', '/v1/settings'))
  }

  async changeSettings(change: T.SettingsChange): Promise<T.Settings> {
    return read('Settings', await this.#rows.json('PATCH', '/v1/settings', change))
  }

  async hold(on: boolean): Promise<void> {
    await this.#rows.json('POST', '/v1/hold', { on })
  }

  async differences(): Promise<T.Difference[]> {
    return read('DifferencesOutBody', await this.#rows.json('GET', '/v1/differences')).differences
  }

  async settleDifferences(ids: readonly string[], take: T.Version): Promise<void> {
    await this.#rows.json('POST', '/v1/differences/settle', { ids, take })
  }

  async trouble(): Promise<string> {
    return read('HealthOutBody', await this.#rows.json('GET', '/healthz')).trouble
  }

  protected async version(): Promise<string> {
    return read('HealthOutBody', await this.#rows.json('GET', '/healthz')).version
  }
}

/** A server as the desk takes it: without what only the desk knows. */
function serverOut(server: T.Server): object {
  const { id, transport, command, args, env, cwd, url, headers, enabled, toolPermissions = null, execution, users, programFolders } = server
  return { id, transport, command, args, env, cwd, url, headers, enabled, toolPermissions, execution, users, programFolders }
}
