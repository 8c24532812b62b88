/** A desk in memory, for unit tests and for looking at screens without a desk. */
import type { Desk, RuleSaved } from './desk'
import { DeskError } from './desk-error'
import type { Agent, Answer, Call, Hint, Info, NewAgent, PendingSnapshot, Resolution, Rule, RuleForm, Server, Settings } from './types'

export class FakeDesk implements Desk {
  /** Every call, oldest first. Change them with put. */
  kept: Call[] = []
  inputs = new Map<string, string>()
  ruleList: Rule[] = []
  serverList: Server[] = []
  agentList: Agent[] = []
  settingsNow: Settings = { hold: false }
  /** What pendingMatches says of every rule that is saved, and release answers. */
  matches = 0
  /** All answers that arrived, in order. */
  answers: { callId: string; answer: Answer }[] = []
  /** A method named here fails so, until it is removed. */
  failures = new Map<keyof Desk, DeskError>()
  rev = 1
  #listeners = new Set<(hint: Hint) => void>()

  /** Adds or replaces a call and tells the listeners. */
  put(call: Call, input?: string): void {
    this.kept = this.kept.some((c) => c.id === call.id) ? this.kept.map((c) => (c.id === call.id ? call : c)) : [...this.kept, call]
    if (input !== undefined) this.inputs.set(call.id, input)
    this.hint('call.changed')
  }

  /** Settles a call behind the front end's back. */
  settle(id: string, status: string): void {
    const old = this.#call(id)
    this.put({ ...old, status, rev: old.rev + 1 })
  }

  hint(kind: string): void {
    this.rev++
    for (const tell of [...this.#listeners]) tell({ kind })
  }

  pending(): Promise<PendingSnapshot> {
    return this.#answer('pending', () => ({ rev: this.rev, items: this.kept.filter((c) => c.status === 'pending') }))
  }

  input(callId: string): Promise<string> {
    return this.#answer('input', () => this.inputs.get(callId) ?? '{}')
  }

  decide(callId: string, answer: Answer): Promise<{ call: Call; settled: string[]; repeated: boolean }> {
    this.answers.push({ callId, answer }) // at once, so that a test can say that none came
    return this.#answer('decide', () => {
      const old = this.#call(callId)
      const decision = { ...undecided, by: 'person', approved: answer.approved, reason: answer.reason, decidedAt: new Date().toISOString() }
      const call = { ...old, rev: old.rev + 1, status: answer.approved ? 'approved' : 'declined', decision }
      this.put(call)
      return { call, settled: [], repeated: false }
    })
  }

  resolve(callId: string, action: Resolution): Promise<Call> {
    return this.#answer('resolve', () => {
      const old = this.#call(callId)
      if (old.status !== 'in_doubt') throw new DeskError({ code: 'already_decided', message: `this call is not in doubt: it is ${old.status}`, call: old })
      const call = { ...old, rev: old.rev + 1, status: action === 'retry' ? 'approved' : 'failed' }
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

  rules(): Promise<{ rules: Rule[]; policyVersion: string }> {
    return this.#answer('rules', () => ({ rules: this.ruleList.toSorted(byJudgement), policyVersion: String(this.rev) }))
  }

  createRule(form: RuleForm): Promise<RuleSaved> {
    return this.#answer('createRule', () => {
      const at = this.#now()
      const rule = { ...form, id: `rule-${String(this.rev)}`, condition: null, expiresAt: null, examples: [], createdAt: at, updatedAt: at, hits: 0 }
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

  deleteRule(id: string, ifMatch: string): Promise<RuleSaved> {
    return this.#answer('deleteRule', () => {
      const rule = this.#rule(id, ifMatch)
      this.ruleList = this.ruleList.filter((r) => r.id !== id)
      this.hint('rules.changed')
      return { rule, pendingMatches: 0 }
    })
  }

  servers(): Promise<Server[]> {
    return this.#answer('servers', () => this.serverList)
  }

  saveServers(servers: Server[]): Promise<Server[]> {
    return this.#answer('saveServers', () => {
      this.serverList = servers.map((s) => ({ ...s, state: s.enabled ? s.state || 'idle' : 'disabled' }))
      this.hint('servers.changed')
      return this.serverList
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

  calls({ cursor }: { cursor: string | null }): Promise<{ calls: Call[]; next: string | null }> {
    return this.#answer('calls', () => {
      const from = Number(cursor ?? 0)
      const newest = this.kept.toReversed()
      return { calls: newest.slice(from, from + 20), next: newest.length > from + 20 ? String(from + 20) : null }
    })
  }

  settings(): Promise<Settings> {
    return this.#answer('settings', () => this.settingsNow)
  }

  hold(on: boolean): Promise<void> {
    return this.#answer('hold', () => {
      this.settingsNow = { ...this.settingsNow, hold: on }
      this.hint('settings.changed')
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

  #rule(id: string, ifMatch: string): Rule {
    const found = this.ruleList.find((r) => r.id === id)
    if (!found) throw new DeskError({ code: 'not_found', message: 'no such rule' })
    if (ifMatch !== '' && found.updatedAt !== ifMatch) throw new DeskError({ code: 'lost_update', message: 'the rule was changed meanwhile' })
    return found
  }

  /** Strictly increasing, as the desk's own updatedAt. */
  #now(): string {
    return new Date(Date.UTC(2026, 0, 1) + this.rev).toISOString()
  }
}

/** What a decision says where nothing else is said. */
const undecided = { by: '', approved: false, reason: '', scope: 'once', ruleId: null, grantId: null, decidedAt: '', remembered: null, count: 0 }

const strength = { deny: 0, ask: 1, allow: 2 }

function byJudgement(a: Rule, b: Rule): number {
  return b.priority - a.priority || strength[a.effect] - strength[b.effect] || a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id)
}
