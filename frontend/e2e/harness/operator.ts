import { until } from './wait'

/** As much of a call as the tests look at. */
export interface SeenCall {
  id: string
  rev: number
  status: string
  toolName: string
  input: unknown
  inputHash: string
  callerGone: boolean
  createdAt: string
  expiresAt: string | null
  decision: { by: string; approved: boolean; reason: string } | null
}

export interface RuleInput {
  id?: string
  serverId?: string | null
  toolName?: string | null
  toolPattern?: string | null
  effect?: 'allow' | 'ask' | 'deny'
  priority?: number
  enabled?: boolean
  note?: string
  condition?: string
  expiresAt?: string
  examples?: readonly unknown[]
}

/** A request over REST, with a bearer token. */
export async function request(url: string, token: string, method: string, path: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await fetch(url + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) }
}

let asked = 0

/** Asks for a call over REST, as an agent, and gives what takes it back. */
export async function ask(url: string, token: string, toolName: string, more: Record<string, unknown> = {}): Promise<{ id: string; cancel: () => Promise<void> }> {
  const made = await request(url, token, 'POST', '/v1/calls', { runId: 'e2e', toolCallId: `call-${String(++asked)}`, serverId: 'rockets', toolName, input: {}, ...more })
  if (made.status !== 201) throw new Error(`ask for ${toolName}: ${String(made.status)} ${JSON.stringify(made.body)}`)
  const { id } = made.body.call as SeenCall
  return {
    id,
    cancel: async () => {
      const answer = await request(url, token, 'POST', `/v1/calls/${id}/cancel`, { reason: 'changed my mind' })
      if (answer.status !== 200) throw new Error(`cancel: ${String(answer.status)}`)
    },
  }
}

/** The person's side of a desk over REST. */
export class Operator {
  readonly url: string
  readonly token: string

  constructor(url: string, token: string) {
    this.url = url
    this.token = token
  }

  async #ask(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const answer = await request(this.url, this.token, method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${String(answer.status)} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  async putRules(rules: readonly RuleInput[]): Promise<void> {
    await this.#ask('PUT', '/v1/rules', { rules })
  }

  async putServers(servers: readonly unknown[]): Promise<void> {
    await this.#ask('PUT', '/v1/servers', { servers })
  }

  /** Makes an agent and gives its token. */
  async createAgent(name: string): Promise<string> {
    return String((await this.#ask('POST', '/v1/agents', { name })).token)
  }

  async calls(status = ''): Promise<SeenCall[]> {
    return (await this.#ask('GET', `/v1/calls?status=${status}&order=oldest`)).calls as SeenCall[]
  }

  async call(id: string): Promise<SeenCall> {
    return (await this.#ask('GET', `/v1/calls/${id}`)).call as SeenCall
  }

  /** Waits until as many calls wait, and gives them, oldest first. */
  async pending(count = 1): Promise<SeenCall[]> {
    return until(`${String(count)} waiting calls`, async () => {
      const calls = await this.calls('pending')
      return calls.length === count ? calls : undefined
    })
  }

  async firstPending(): Promise<SeenCall> {
    const [call] = await this.pending()
    if (!call) throw new Error('no call waits')
    return call
  }

  decide(call: SeenCall, approved: boolean, reason = ''): Promise<{ status: number; body: Record<string, unknown> }> {
    return request(this.url, this.token, 'POST', `/v1/calls/${call.id}/decision`, { approved, reason, inputHash: call.inputHash, rev: call.rev })
  }

  /** Answers with more than yes or no. */
  async answer(call: SeenCall, answer: Record<string, unknown>): Promise<void> {
    await this.#ask('POST', `/v1/calls/${call.id}/decision`, { reason: '', inputHash: call.inputHash, rev: call.rev, ...answer })
  }

  async changeSettings(change: Record<string, unknown>): Promise<void> {
    await this.#ask('PATCH', '/v1/settings', change)
  }

  async rules(): Promise<RuleInput[]> {
    return (await this.#ask('GET', '/v1/rules')).rules as RuleInput[]
  }

  /** The kinds of all that was written down, in order. */
  async journalKinds(): Promise<string[]> {
    return ((await this.#ask('GET', '/v1/journal?limit=500')).entries as { kind: string }[]).map(({ kind }) => kind)
  }

  async loginUrl(): Promise<string> {
    return String((await this.#ask('POST', '/v1/login-codes')).loginUrl)
  }
}
