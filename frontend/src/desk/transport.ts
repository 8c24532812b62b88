import { EventsOn } from '../../wailsjs/runtime/runtime'
import * as App from '../../wailsjs/go/main/App'
import { DeskError } from './desk-error'
import { object, text, whole } from './read'

/** A request to the desk; body is JSON text. */
export interface Asked {
  method: string
  path: string
  body?: string | undefined
  /** Guards an edit: what the desk has must still be this. */
  ifMatch?: string | undefined
  /** Guards what is to be new: the desk must not have it yet. */
  onlyNew?: boolean | undefined
  /** Milliseconds until nobody waits for the answer any more. */
  patienceMs?: number
}

/** What came back: the text as its bytes are. */
export interface Answered {
  status: number
  body: string
}

/** How requests get to the desk: over HTTP, or by the window's bindings. It fails only when the desk cannot be reached. */
export interface Transport {
  ask(request: Asked): Promise<Answered>
}

const patienceMs = 20_000

export interface HttpOptions {
  token: string
  /** Where the desk is; empty is the page's own origin. */
  base?: string
  fetch?: typeof fetch
  /** Called when the desk no longer knows the token. */
  onSignedOut?: () => void
}

/** Requests with a bearer token: never a cookie, which every port of 127.0.0.1 would get. */
export class HttpTransport implements Transport {
  readonly #options: HttpOptions

  constructor(options: HttpOptions) {
    this.#options = options
  }

  async ask(request: Asked): Promise<Answered> {
    const { body, ifMatch, onlyNew, method, path } = request
    const guard = { ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }), ...(onlyNew ? { 'If-None-Match': '*' } : {}) }
    const headers = { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...guard }
    const signal = AbortSignal.timeout(request.patienceMs ?? patienceMs)
    const response = await this.send(path, { method, headers, signal, ...(body === undefined ? {} : { body }) })
    const bytes = await response.arrayBuffer().catch(unreachable)
    return { status: response.status, body: asWritten(bytes) }
  }

  /** Sends with the bearer and gives the response, whatever its status. */
  async send(path: string, init: RequestInit): Promise<Response> {
    const { token, base = '', fetch: send = fetch, onSignedOut } = this.#options
    const headers = { ...init.headers, Authorization: `Bearer ${token}` }
    const response = await send(base + path, { ...init, headers, credentials: 'omit', cache: 'no-store', redirect: 'error' }).catch(unreachable)
    if (response.status === 401) onSignedOut?.()
    return response
  }
}

/** Text as its bytes are: a byte order mark is kept, bad UTF-8 is an error. */
function asWritten(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new DeskError({ code: 'malformed_answer', message: 'the answer is not UTF-8' })
  }
}

function unreachable(cause: unknown): never {
  throw DeskError.from(cause)
}

declare global {
  interface Window {
    go?: { main?: { App?: object } }
  }
}

/** Whether this page runs in the desktop window, which is the operator itself. */
export function inWindow(): boolean {
  return window.go?.main?.App !== undefined
}

/** The same requests, handed to the desk in the window's own process: no socket, no token. */
export class WindowTransport implements Transport {
  async ask({ method, path, ifMatch = '', onlyNew = false, body = '' }: Asked): Promise<Answered> {
    const guard = onlyNew ? 'If-None-Match: *' : ifMatch
    const answer = object(JSON.parse(await App.Ask(method, path, guard, body).catch(unreachable)))
    return { status: whole(answer.status), body: text(answer.body) }
  }
}

/** Calls onEvent for each event of this name that the window's process sends. */
export function onWindowEvent(name: string, onEvent: (...data: unknown[]) => void): () => void {
  return EventsOn(name, onEvent)
}
