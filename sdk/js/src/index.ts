// The client of the desk: asks whether a tool may run, waits for the answer, takes the one right
// to execute, and reports what came of it.

import { setTimeout as sleep } from 'node:timers/promises'
import { Connection, type DeskOptions } from './connection.js'
import { DeskError, toJson, type Call, type DeskEvent, type Question, type Verdict } from './api.js'
import { guarded, type Guarded, type GuardOptions } from './guarded.js'

export { DeskError, toJson } from './api.js'
export type * from './api.js'
export { importConfig } from './config.js'
export type * from './config.js'
export type { DeskOptions } from './connection.js'
export { words } from './words.js'

/** How long a request may go on: `patience` for a desk that is away, in milliseconds. */
export interface Waiting {
  signal?: AbortSignal
  patience?: number
  timeout?: number
}

const patience = 10_000 // for a desk that does not answer, in milliseconds

/** The desk, for one agent. */
export class Desk {
  #connection: Connection
  #lost: { at: number; why?: DeskError } = { at: 0 }

  constructor(options: DeskOptions = {}) {
    this.#connection = new Connection(options)
  }

  /** Judges a call without asking anybody; nothing of it is kept. */
  async evaluate(
    q: Omit<Question, 'runId' | 'toolCallId'>,
    signal?: AbortSignal,
  ): Promise<Verdict> {
    const { serverId = null, toolName, input, sessionId, cwd } = q
    const body = { serverId, toolName, input, sessionId, cwd }
    // The calls of one step are judged one after the other: one of them waits for an absent desk.
    if (Date.now() - this.#lost.at < 1_000) throw this.#lost.why
    try {
      const o = { signal, patience: 3_000, timeout: 2_000 }
      return await this.#send('POST', '/v1/evaluate', body, o)
    } catch (why) {
      const lost = why instanceof DeskError && why.code === 'unreachable'
      if (lost) this.#lost = { at: Date.now(), why }
      throw why
    }
  }

  /** Puts a call to the desk. The same question again is the same call. */
  async open(question: Question, signal?: AbortSignal): Promise<Call> {
    signal?.throwIfAborted()
    // A question under way when the program aborts has a second: its call has to be cancelled.
    const late = new AbortController()
    const leave = () => setTimeout(() => late.abort(signal?.reason), 1000)
    signal?.addEventListener('abort', leave, { once: true })
    const body = { serverId: null, ...question }
    const asking = this.#call('POST', '/v1/calls', body, { signal: late.signal })
    const call = await asking.finally(() => signal?.removeEventListener('abort', leave))
    return signal?.aborted ? this.settled(call, signal) : call
  }

  /**
   * Waits until a call is decided, also while the desk is away, until a minute after the call's
   * deadline. A signal that aborts cancels the call.
   */
  async settled(call: Call, signal?: AbortSignal): Promise<Call> {
    try {
      while (call.status === 'pending') {
        const late = call.expiresAt ? Date.parse(call.expiresAt) - Date.now() : Infinity
        const o = { signal, patience: Math.max(late, 0) + 60_000, timeout: 60_000 }
        const { rev } = call
        call = await this.#call('GET', `${at(call.id)}?wait=25&rev=${rev}`, undefined, o)
        // A desk that does not hold the question is not asked without a pause.
        if (call.rev === rev) await sleep(250, undefined, { signal })
      }
      signal?.throwIfAborted()
    } catch (why) {
      if (signal?.aborted) await this.cancel(call.id, 'the program aborted').catch(() => {})
      throw signal?.aborted ? signal.reason : why
    }
    return call
  }

  /** Takes the one right to execute a call; the same claimKey again renews it. */
  claim(call: Call, claimKey: string, leaseSeconds = 300, o: Waiting = {}): Promise<Call> {
    const claimant = `@sekisho/client, process ${process.pid}`
    const body = { inputHash: call.inputHash, claimant, claimKey, leaseSeconds }
    return this.#call('POST', `${at(call.id)}/claim`, body, { patience: 60_000, ...o })
  }

  /** Reports what came of a claimed call, for a minute if need be. */
  result(id: string, claimId: string, ok: boolean, output?: unknown): Promise<Call> {
    return this.#call('POST', `${at(id)}/result`, { claimId, ok, output }, { patience: 60_000 })
  }

  /** Withdraws a call that nobody has claimed. */
  cancel(id: string, reason = ''): Promise<Call> {
    return this.#call('POST', `${at(id)}/cancel`, { reason })
  }

  /** Withdraws what waits of a run. */
  cancelRun(runId: string): Promise<{ cancelled: number; grantsEnded: number }> {
    return this.#send('POST', `/v1/runs/${encodeURIComponent(runId)}/cancel`, {})
  }

  /** Ends a session, and with it the answers that hold for it. */
  endSession(sessionId: string): Promise<{ cancelled: number; grantsEnded: number }> {
    return this.#send('POST', `/v1/sessions/${encodeURIComponent(sessionId)}/end`, {})
  }

  /** Events of this agent's calls, across restarts of the desk: each is a hint to look again. */
  async *events(signal?: AbortSignal): AsyncGenerator<DeskEvent> {
    for (let last = '', pause = 100; !signal?.aborted; pause = Math.min(pause * 2, 2000)) {
      try {
        const headers: Record<string, string> = last ? { 'last-event-id': last } : {}
        const stream = await this.#connection.open('GET', '/v1/events', { headers, signal })
        if (stream.statusCode !== 200) throw new Error(`events: ${stream.statusCode}`)
        let text = ''
        for await (const part of stream.setEncoding('utf8')) {
          text += part
          for (let end; (end = text.indexOf('\n\n')) >= 0; text = text.slice(end + 2)) {
            const field = (name: string) =>
              new RegExp(`^${name}: ?(.*)$`, 'm').exec(text.slice(0, end))?.[1]
            const data = field('data')
            if (data === undefined) continue
            last = field('id') ?? last
            pause = 100
            yield { id: last, type: field('event') ?? 'message', data: JSON.parse(data) }
          }
        }
      } catch {
        // the desk is away: it is asked again
      }
      await sleep(pause, undefined, { signal }).catch(() => {})
    }
  }

  /**
   * Runs a function once, if the desk lets it: asks, waits, claims, runs, reports. A call that ran
   * already answers with its result. What did not run here is thrown as a DeskError with words for
   * a model. The function gets the input that was asked, or what `check` makes of the one that a
   * person edited. It is never run again.
   */
  guarded<T>(question: Question, fn: Guarded<T>, o: GuardOptions = {}): Promise<T> {
    return guarded(this, question, fn, o)
  }

  /** The call as it stands. */
  call(id: string, o: Waiting = {}): Promise<Call> {
    return this.#call('GET', at(id), undefined, o)
  }

  /** The newest call of a run or of a session for which `is` holds; `is` sees no large member. */
  async find(
    of: { runId?: string; sessionId?: string },
    is: (call: Call) => boolean,
  ): Promise<Call | undefined> {
    const brief = { ...of, brief: 'true', limit: '500' }
    for (let next: number | null = 0; next !== null; ) {
      type Page = { calls: Call[]; next: number | null }
      const query = new URLSearchParams(next ? { ...brief, cursor: `${next}` } : brief)
      const page: Page = await this.#send('GET', `/v1/calls?${query}`)
      const found = page.calls.find(is)
      if (found) return this.call(found.id)
      next = page.next
    }
    return undefined
  }

  /** Closes the connections to the desk. */
  close(): void {
    this.#connection.close()
  }

  async #call(method: string, path: string, body?: unknown, o: Waiting = {}): Promise<Call> {
    return (await this.#send<{ call: Call }>(method, path, body, o)).call
  }

  /** Sends a request; again on network errors, 5xx and 429, with the same body. */
  async #send<T>(method: string, path: string, body?: unknown, o: Waiting = {}): Promise<T> {
    const { signal, timeout = 30_000 } = o
    const text = body === undefined ? undefined : toJson(body)
    const began = Date.now()
    for (let pause = 100; ; pause = Math.min(pause * 2, 2000)) {
      let failed: DeskError
      let wait = pause
      let most = o.patience ?? patience
      try {
        // The time-out is for silence: an answer that comes byte by byte has twice as long.
        const late = AbortSignal.timeout(timeout * 2)
        const either = signal ? AbortSignal.any([signal, late]) : late
        // A request whose connection has not proved itself yet does not end by its signal.
        const left = new Promise<never>((_, leave) => {
          either.addEventListener('abort', () => leave(either.reason))
        })
        const asked = this.#connection.ask(method, path, { body: text, signal: either, timeout })
        const a = await Promise.race([asked, left])
        if (a.status >= 200 && a.status < 300) return JSON.parse(a.text) as T
        failed = problem(a.status, a.text)
        if (a.status === 429) {
          wait = Math.max(a.retryAfter * 1000 || 0, pause)
          most = Math.max(most, 60_000)
        } else if (a.status < 500) most = -1
      } catch (why) {
        signal?.throwIfAborted()
        const where = `the desk at ${this.#connection.where()} cannot be reached`
        const text = `${where}: ${why instanceof Error ? why.message : String(why)}`
        failed = new DeskError(text, 0, 'unreachable', undefined, { cause: why })
      }
      if (Date.now() - began + wait > most) throw failed
      await sleep(wait, undefined, { signal })
    }
  }
}

const at = (id: string) => `/v1/calls/${encodeURIComponent(id)}`

function problem(status: number, text: string): DeskError {
  let said: { detail?: string; code?: string; call?: Call } = {}
  try {
    said = (JSON.parse(text) as typeof said | null) ?? {}
  } catch {
    // not the desk's own words
  }
  const words = said.detail || `the desk answered ${status}`
  return new DeskError(words, status, said.code ?? 'invalid', said.call)
}
