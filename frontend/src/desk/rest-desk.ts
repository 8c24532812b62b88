import { Client, parsed, withRaw } from './client'
import type { Desk, RuleSaved } from './desk'
import { DeskError } from './desk-error'
import { elements, member } from './raw-json'
import * as read from './read'
import { difference } from './read-differences'
import { look, toolLook } from './read-look'
import * as review from './read-review'
import { settings, settingsOut } from './read-settings'
import type { Transport } from './transport'
import type * as T from './types'

const queueLimit = 200
const pageSize = 100
const journalPage = 500
const serverPatienceMs = 30_000
/** The desk asks the server and its authorization server for a minute at most. */
const signInPatienceMs = 70_000

const call = (id: string) => `/v1/calls/${encodeURIComponent(id)}`
const tool = (serverId: string, name: string) => `/v1/servers/${encodeURIComponent(serverId)}/tools/${encodeURIComponent(name)}`
const clientFile = (id: string) => `/v1/connections/${encodeURIComponent(id)}`
const rule = (id: string) => `/v1/rules/${encodeURIComponent(id)}`

// What one late screen reads is loaded with it: before a request is sent, so that its answer is not lost.
const clients = () => import('./read-clients')
const histories = () => import('./read-history')

/** The desk by its REST rows (CONTRACT section 4), whichever way requests get there. */
export abstract class RestDesk implements Desk {
  readonly #rows: Client

  constructor(transport: Transport) {
    this.#rows = new Client(transport)
  }

  abstract saveFile(name: string, text: string): Promise<boolean>
  abstract subscribe(onHint: (hint: T.Hint) => void): () => void
  abstract hasEvents(): boolean
  abstract info(): Promise<T.Info>

  async pending(cursor?: string): Promise<T.PendingSnapshot> {
    const from = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page = await this.#rows.json('GET', `/v1/calls?status=pending&order=oldest&brief=true&limit=${String(queueLimit)}${from}`)
    return {
      desk: read.text(page.desk),
      rev: read.whole(page.rev),
      now: read.text(page.now),
      items: read.list(page.calls, read.call),
      next: read.opaque(page.next),
      declined: read.list(page.declined, read.declinedTool),
    }
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
    return look(await this.#rows.json('GET', `${call(callId)}/look`))
  }

  async attend(shown: T.Attention | null): Promise<void> {
    await this.#rows.json('POST', '/v1/attention', shown ?? { callId: null, rev: 0 })
  }

  async decide(
    callId: string,
    { input, resumeData, ...answer }: T.Answer,
  ): Promise<{ call: T.Call; settled: string[]; repeated: boolean }> {
    const done = parsed(await this.#rows.text('POST', `${call(callId)}/decision`, withRaw({ ...answer }, { input, resumeData })))
    return { call: read.call(done.call), settled: read.list(done.settled, read.text), repeated: done.repeated === true }
  }

  async extend(callId: string, seconds: number): Promise<T.Call> {
    return read.call((await this.#rows.json('POST', `${call(callId)}/extend`, { seconds })).call)
  }

  async resolve(callId: string, action: T.Resolution): Promise<T.Call> {
    return read.call((await this.#rows.json('POST', `${call(callId)}/resolve`, { action })).call)
  }

  async release(ruleId: string): Promise<number> {
    return read.whole((await this.#rows.json('POST', '/v1/calls/release', { ruleId })).released)
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

  async rules(): Promise<{ rules: T.Rule[]; policyVersion: string }> {
    const all = await this.#rows.json('GET', '/v1/rules')
    return { rules: read.list(all.rules, read.rule), policyVersion: read.opaque(all.policyVersion) ?? '' }
  }

  async createRule(form: T.RuleForm): Promise<RuleSaved> {
    return read.ruleSaved(await this.#rows.json('POST', '/v1/rules', form))
  }

  async updateRule(id: string, changes: Partial<T.RuleForm>, ifMatch: string): Promise<RuleSaved> {
    return read.ruleSaved(await this.#rows.json('PATCH', rule(id), changes, seen(ifMatch)))
  }

  async deleteRule(id: string, ifMatch: string): Promise<RuleSaved & { document: string }> {
    const raw = await this.#rows.text('DELETE', rule(id), undefined, seen(ifMatch))
    const document = withRaw({ format: 'sekisho.rules', version: 1 }, { rules: `[${member(raw, 'rule')}]` })
    return { ...read.ruleSaved(parsed(raw)), document }
  }

  async moveRule(ruleId: string, before: string | null, policyVersion: string): Promise<void> {
    await this.#rows.json('POST', '/v1/rules/move', { ruleId, before, policyVersion: Number(policyVersion) })
  }

  async preview(change: T.RuleChange): Promise<T.Preview> {
    return review.preview(await this.#rows.json('POST', '/v1/rules/preview', { change }))
  }

  async lint(change?: T.RuleChange): Promise<T.Finding[]> {
    return read.list((await this.#rows.json('POST', '/v1/rules/lint', change ? { change } : {})).findings, review.finding)
  }

  async evaluate({ input, envelope, ...query }: T.Query): Promise<T.Verdict> {
    return review.verdict(parsed(await this.#rows.text('POST', '/v1/evaluate', withRaw({ ...query }, { input, envelope }))))
  }

  async suggestions(): Promise<T.Suggestion[]> {
    return read.list((await this.#rows.json('GET', '/v1/suggestions')).suggestions, review.suggestion)
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
    const { historyState } = await histories()
    return historyState(await this.#rows.json(method, '/v1/history'))
  }

  async widen(of: T.OfferedFor): Promise<T.Offer[]> {
    return review.offers(await this.#rows.json('POST', '/v1/rules/widen', of))
  }

  async reach(query: T.ReachQuery): Promise<T.Reach> {
    return review.reach(await this.#rows.json('POST', '/v1/rules/reach', query))
  }

  exportRules(): Promise<string> {
    return this.#rows.text('GET', '/v1/policy')
  }

  async diffRules(document: string, mode: T.ImportMode): Promise<T.RuleDiff> {
    return review.ruleDiff(parsed(await this.#rows.text('POST', '/v1/policy/diff', withRaw({ mode }, { document }))).diff)
  }

  async importRules(document: string, mode: T.ImportMode, policyVersion: string, accept: string[]): Promise<T.RuleDiff> {
    const body = withRaw({ mode, accept, ...(policyVersion === '' ? {} : { ifVersion: Number(policyVersion) }) }, { document })
    return review.ruleDiff(parsed(await this.#rows.text('POST', '/v1/policy/import', body)).diff)
  }

  async grants(): Promise<T.Grant[]> {
    return read.list((await this.#rows.json('GET', '/v1/grants')).grants, review.grant)
  }

  async endGrant(id: string): Promise<void> {
    await this.#rows.json('DELETE', `/v1/grants/${encodeURIComponent(id)}`)
  }

  async servers(): Promise<T.Server[]> {
    return (await this.versionedServers()).servers
  }

  async versionedServers(): Promise<{ servers: T.Server[]; version: string }> {
    const all = await this.#rows.json('GET', '/v1/servers')
    return { servers: read.list(all.servers, read.server), version: read.text(all.version ?? '') }
  }

  async secrets(): Promise<T.SecretsNotice> {
    return read.secretsNotice((await this.#rows.json('GET', '/v1/servers')).secrets)
  }

  async saveServers(servers: T.Server[], version: string): Promise<T.Server[]> {
    const saved = await this.#rows.json('PUT', '/v1/servers', { servers: servers.map(read.serverOut) }, seen(version))
    return read.list(saved.servers, read.server)
  }

  async signIn(serverId: string, client?: T.SignInClient): Promise<T.SignIn> {
    return read.signIn(
      (
        await this.#rows.json('POST', `/v1/servers/${encodeURIComponent(serverId)}/sign-in`, client && { client }, {
          patienceMs: signInPatienceMs,
        })
      ).signIn,
    )
  }

  async signOut(serverId: string): Promise<T.SignIn> {
    return read.signIn((await this.#rows.json('DELETE', `/v1/servers/${encodeURIComponent(serverId)}/sign-in`)).signIn)
  }

  openPage(url: string): void {
    window.open(url, '_blank', 'noopener,noreferrer')
  }

  async testServer(server: T.Server): Promise<T.ServerTest> {
    const seen = await this.#rows.json('POST', '/v1/servers/test', { server: read.serverOut(server) }, { patienceMs: serverPatienceMs })
    return {
      ok: seen.ok === true,
      tools: read.list(seen.tools, read.text),
      flaggedTools: read.flaggedTools(seen.flaggedTools),
      error: read.text(seen.error),
      stderr: read.text(seen.stderr),
    }
  }

  async tool(serverId: string, name: string): Promise<T.ToolLook> {
    return toolLook((await this.#rows.json('GET', tool(serverId, name))).tool)
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
    return read.list((await this.#rows.json('GET', '/v1/agents')).agents, read.agent)
  }

  async createAgent(name: string): Promise<T.NewAgent> {
    const made = await this.#rows.json('POST', '/v1/agents', { name })
    return { agent: read.agent(made.agent), token: read.text(made.token), tokenFile: '' }
  }

  async deleteAgent(id: string): Promise<void> {
    await this.#rows.json('DELETE', `/v1/agents/${encodeURIComponent(id)}`)
  }

  async clients(): Promise<T.ClientFiles> {
    return (await clients()).clientFiles(await this.#rows.json('GET', '/v1/connections'))
  }

  async connectClient(id: string, shown: string): Promise<T.ClientConnected> {
    return (await clients()).clientConnected(await this.#rows.json('POST', `${clientFile(id)}/connect`, { shown }))
  }

  async disconnectClient(id: string, shown: string, force: boolean): Promise<T.ClientDisconnected> {
    return (await clients()).clientDisconnected(await this.#rows.json('POST', `${clientFile(id)}/disconnect`, { shown, force }))
  }

  async removeLeftovers(servers: readonly string[]): Promise<T.ClientDisconnected> {
    return (await clients()).clientDisconnected(await this.#rows.json('POST', '/v1/connections/leftovers/remove', { servers }))
  }

  async calls({ cursor, text = '', statuses = [] }: T.CallsFilter): Promise<{ calls: T.Call[]; next: string | null }> {
    const query = new URLSearchParams({ brief: 'true', limit: String(pageSize) })
    if (statuses.length > 0) query.set('status', statuses.join(','))
    if (text !== '') query.set('q', text)
    if (cursor !== null) query.set('cursor', cursor)
    const page = await this.#rows.json('GET', `/v1/calls?${query.toString()}`)
    return { calls: read.list(page.calls, read.call), next: read.opaque(page.next) }
  }

  async call(callId: string): Promise<T.Call> {
    return read.call((await this.#rows.json('GET', call(callId))).call)
  }

  async journal(after: number): Promise<{ entries: string[]; next: number | null }> {
    const raw = await this.#rows.text('GET', `/v1/journal?after=${String(after)}&limit=${String(journalPage)}`)
    const next = parsed(raw).next
    return { entries: elements(member(raw, 'entries')), next: typeof next === 'number' ? next : null }
  }

  async journalEnd(): Promise<{ entry: string; seq: number } | null> {
    try {
      const raw = member(await this.#rows.text('GET', '/v1/journal/end'), 'entry')
      return { entry: raw, seq: read.count(parsed(raw).seq) }
    } catch (error) {
      if (DeskError.from(error).code === 'unavailable') return null
      throw error
    }
  }

  async settings(): Promise<T.Settings> {
    return settings(await this.#rows.json('GET', '/v1/settings'))
  }

  async changeSettings(change: T.SettingsChange): Promise<T.Settings> {
    return settings(await this.#rows.json('PATCH', '/v1/settings', settingsOut(change)))
  }

  async hold(on: boolean): Promise<void> {
    await this.#rows.json('POST', '/v1/hold', { on })
  }

  async differences(): Promise<T.Difference[]> {
    return read.list((await this.#rows.json('GET', '/v1/differences')).differences, difference)
  }

  async settleDifferences(ids: readonly string[], take: T.Version): Promise<void> {
    await this.#rows.json('POST', '/v1/differences/settle', { ids, take })
  }

  async trouble(): Promise<string> {
    const { trouble } = await this.#rows.json('GET', '/healthz')
    return typeof trouble === 'string' ? trouble : ''
  }

  protected async version(): Promise<string> {
    return read.text((await this.#rows.json('GET', '/healthz')).version)
  }
}

/** The guard against lost updates; no ifMatch, no guard. */
function seen(ifMatch: string): { ifMatch?: string } {
  return ifMatch === '' ? {} : { ifMatch: `"${ifMatch}"` }
}
