/** What a fake desk has, and what of a desk is no request. */
import type { Desk } from './desk'
import type { DeskError } from './desk-error'
import { noSettings, nothingChanged, nothingNew } from './fake-answers'
import { RestDesk } from './rest-desk'
import type { Transport } from './transport'
import type * as T from './types'
import type { Call, Hint, Rule } from './types'

/** A stretch of time in which nothing happened. */
export const noCalls: T.Bucket = {
  from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z', calls: 0, questions: 0, allowed: 0, granted: 0, denied: 0, repeated: 0,
  approved: 0, declined: 0, expired: 0, cancelled: 0, settled: 0, unread: 0, medianMs: null,
}

/** A real client whose answers come of what stands here. */
export class FakeState extends RestDesk {
  /** Every call, oldest first. Change them with put. */
  kept: Call[] = []
  inputs = new Map<string, string>()
  envelopes = new Map<string, string>()
  ruleList: Rule[] = []
  serverList: T.Server[] = []
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
  agentList: T.Agent[] = []
  sessionList: T.Session[] = []
  projectList: T.Project[] = []
  taskList: T.Task[] = []
  talkList: T.Talk[] = []
  coordinationNow: T.Coordination = { on: false, taken: false }
  clientFiles: T.ClientFile[] = []
  apps: T.ClientApp[] = []
  checkNow: T.ClientCheck = { name: 'Codex', state: 'closed', reasons: [] }
  /** What was found of an app's servers before they are moved, and after. */
  trials: T.ClientTrial[] = []
  proofs: T.ClientProof[] = []
  /** Servers of apps that are not connected any more. */
  leftovers: string[] = []
  /** What of a client's file was connected or put back, in order. */
  written: { id: string; shown: string; force?: boolean }[] = []
  settingsNow: T.Settings = noSettings
  troubleNow = ''
  differencesNow: T.Difference[] = []
  settled: string[][] = []
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
  armingNow: T.ArmingTimes = { ms: 700, highMs: 1500, until: null }
  insightsNow: T.Insights = { since: null, inDoubt: 0, total: noCalls, buckets: [], rules: [], fatigue: [] }
  awayNow: T.Stretch | null = null
  pausedUntil: string | null = null
  historyNow: T.HistoryState = { state: 'none', files: 0, bytes: 0, calls: 0, result: null }
  verdictNow: T.Verdict = { decision: 'ask', code: 'no_rule', params: {}, reason: 'no rule applies', rule: null, risk: 'medium', riskReasons: [], parts: [], trace: [] }
  diffNow: T.RuleDiff = { added: [], changed: [], removed: [], same: 0, allows: [], narrower: nothingNew, policyVersion: 1 }
  testNow: T.ServerTest = { ok: true, tools: ['read_file'], flaggedTools: [], error: '', stderr: '' }
  /** The tools that changed. */
  toolLooks: T.ToolLook[] = []
  saved: { name: string; text: string }[] = []
  /** What pendingMatches says of every rule that is saved, and release answers. */
  matches = 0
  /** All answers that arrived, in order. */
  answers: { callId: string; answer: T.Answer }[] = []
  /** A method named here fails so, until it is removed. */
  failures = new Map<keyof Desk, DeskError>()
  rev = 1
  deskId = 'desk-1'
  isRenewed = false
  isCompact = false
  #eventsNow = false
  readonly #eventsListeners = new Set<() => void>()
  readonly #listeners = new Set<(hint: Hint) => void>()
  readonly #compactListeners = new Set<(compact: boolean) => void>()

  constructor(transport: (state: () => FakeState) => Transport) {
    super(transport(() => this))
  }

  /** Adds or replaces a call and tells the listeners. */
  put(call: Call, input?: string): void {
    this.kept = this.kept.some((c) => c.id === call.id) ? this.kept.map((c) => (c.id === call.id ? call : c)) : [...this.kept, call]
    if (input !== undefined) this.inputs.set(call.id, input)
    this.hint('call.changed', call.id)
  }

  /** Settles a call behind the front end's back. */
  settle(id: string, status: Call['status']): void {
    const old = this.kept.find((c) => c.id === id)
    if (old) this.put({ ...old, status, rev: old.rev + 1 })
  }

  /** Whether it says that its events come; hints come all the same. */
  get eventsNow(): boolean {
    return this.#eventsNow
  }

  set eventsNow(come: boolean) {
    this.#eventsNow = come
    for (const tell of [...this.#eventsListeners]) tell()
  }

  hasEvents(): boolean {
    return this.eventsNow
  }

  onEvents(listener: () => void): () => void {
    this.#eventsListeners.add(listener)
    return () => {
      this.#eventsListeners.delete(listener)
    }
  }

  hint(kind: string, callId?: string): void {
    this.rev++
    for (const tell of [...this.#listeners]) tell({ kind, ...(callId === undefined ? {} : { callId }) })
  }

  /** Makes the window small, or whole. */
  compact(on: boolean): void {
    this.isCompact = on
    for (const tell of this.#compactListeners) tell(on)
  }

  override renewed(): Promise<boolean> {
    return Promise.resolve(this.isRenewed)
  }

  override onCompact(listener: (compact: boolean) => void): () => void {
    this.#compactListeners.add(listener)
    listener(this.isCompact)
    return () => {
      this.#compactListeners.delete(listener)
    }
  }

  override async expand(): Promise<void> {
    await this.#asked('expand')
    this.compact(false)
  }

  override openPage(url: string): void {
    this.opened.push(url)
  }

  async saveFile(name: string, text: string): Promise<boolean> {
    await this.#asked('saveFile')
    this.saved.push({ name, text })
    return true
  }

  subscribe(onHint: (hint: Hint) => void): () => void {
    this.#listeners.add(onHint)
    return () => {
      this.#listeners.delete(onHint)
    }
  }

  async info(): Promise<T.Info> {
    await this.#asked('info')
    return { version: '0.0.0', face: 'fake', canOperate: true, agentsUrl: 'http://127.0.0.1:7360' }
  }

  async #asked(method: keyof Desk): Promise<void> {
    await Promise.resolve()
    const failure = this.failures.get(method)
    if (failure) throw failure
  }
}
