import type { Desk, RuleSaved } from './desk'
import { followEvents } from './event-stream'
import { HttpClient, type HttpOptions } from './http-client'
import * as read from './read'
import type { Agent, Answer, Call, Hint, Info, NewAgent, PendingSnapshot, Resolution, Rule, RuleForm, Server, Settings } from './types'

const queueLimit = 200
const pageSize = 50

/** The desk over REST (CONTRACT section 4), for a browser at sekishod. */
export class HttpDesk implements Desk {
  readonly #http: HttpClient
  readonly #listeners = new Set<(hint: Hint) => void>()
  #stopEvents: (() => void) | null = null

  constructor(options: HttpOptions) {
    this.#http = new HttpClient(options)
  }

  async pending(): Promise<PendingSnapshot> {
    const page = await this.#http.json('GET', `/v1/calls?status=pending&order=oldest&limit=${String(queueLimit)}`)
    return { rev: read.whole(page.rev), items: read.list(page.calls, read.call) }
  }

  input(callId: string): Promise<string> {
    return this.#http.rawText(`/v1/calls/${encodeURIComponent(callId)}/input`)
  }

  async decide(callId: string, answer: Answer): Promise<{ call: Call; settled: string[]; repeated: boolean }> {
    const done = await this.#http.json('POST', `/v1/calls/${encodeURIComponent(callId)}/decision`, answer)
    return { call: read.call(done.call), settled: read.list(done.settled, read.text), repeated: done.repeated === true }
  }

  async resolve(callId: string, action: Resolution): Promise<Call> {
    return read.call((await this.#http.json('POST', `/v1/calls/${encodeURIComponent(callId)}/resolve`, { action })).call)
  }

  async release(ruleId: string): Promise<number> {
    return read.whole((await this.#http.json('POST', '/v1/calls/release', { ruleId })).released)
  }

  async rules(): Promise<{ rules: Rule[]; policyVersion: string }> {
    const all = await this.#http.json('GET', '/v1/rules')
    return { rules: read.list(all.rules, read.rule), policyVersion: read.opaque(all.policyVersion) ?? '' }
  }

  async createRule(form: RuleForm): Promise<RuleSaved> {
    return read.ruleSaved(await this.#http.json('POST', '/v1/rules', form))
  }

  async updateRule(id: string, changes: Partial<RuleForm>, ifMatch: string): Promise<RuleSaved> {
    return read.ruleSaved(await this.#http.json('PATCH', `/v1/rules/${encodeURIComponent(id)}`, changes, seen(ifMatch)))
  }

  async deleteRule(id: string, ifMatch: string): Promise<RuleSaved> {
    return read.ruleSaved(await this.#http.json('DELETE', `/v1/rules/${encodeURIComponent(id)}`, undefined, seen(ifMatch)))
  }

  async servers(): Promise<Server[]> {
    return read.list((await this.#http.json('GET', '/v1/servers')).servers, read.server)
  }

  async saveServers(servers: Server[]): Promise<Server[]> {
    const saved = await this.#http.json('PUT', '/v1/servers', { servers: servers.map(read.serverOut) })
    return read.list(saved.servers, read.server)
  }

  async agents(): Promise<Agent[]> {
    return read.list((await this.#http.json('GET', '/v1/agents')).agents, read.agent)
  }

  async createAgent(name: string): Promise<NewAgent> {
    const made = await this.#http.json('POST', '/v1/agents', { name })
    return { agent: read.agent(made.agent), token: read.text(made.token), tokenFile: '' }
  }

  async deleteAgent(id: string): Promise<void> {
    await this.#http.send('DELETE', `/v1/agents/${encodeURIComponent(id)}`)
  }

  async calls({ cursor }: { cursor: string | null }): Promise<{ calls: Call[]; next: string | null }> {
    const from = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page = await this.#http.json('GET', `/v1/calls?limit=${String(pageSize)}${from}`)
    return { calls: read.list(page.calls, read.call), next: read.opaque(page.next) }
  }

  async settings(): Promise<Settings> {
    return read.settings(await this.#http.json('GET', '/v1/settings'))
  }

  async hold(on: boolean): Promise<void> {
    await this.#http.json('POST', '/v1/hold', { on })
  }

  /** All listeners share one connection. */
  subscribe(onHint: (hint: Hint) => void): () => void {
    const listener = (hint: Hint) => {
      onHint(hint)
    }
    this.#listeners.add(listener)
    this.#stopEvents ??= followEvents(this.#http, (hint) => {
      for (const tell of this.#listeners) tell(hint)
    })
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#stopEvents?.()
      this.#stopEvents = null
    }
  }

  async info(): Promise<Info> {
    const health = await this.#http.json('GET', '/healthz')
    return { version: read.text(health.version), face: 'browser', canOperate: true, agentsUrl: window.location.origin }
  }
}

/** The guard against lost updates; no ifMatch, no guard. */
function seen(ifMatch: string): Record<string, string> {
  return ifMatch === '' ? {} : { 'If-Match': `"${ifMatch}"` }
}
