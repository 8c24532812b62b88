import { DeskError } from './desk-error'
import { call, object, text, type Json } from './read'

export interface HttpOptions {
  token: string
  /** Where the desk is; empty is the page's own origin. */
  base?: string
  fetch?: typeof fetch
  /** Called when the desk no longer knows the token. */
  onSignedOut?: () => void
}

const patienceMs = 20_000

/** Requests to a desk with a bearer token: never a cookie, which every port of 127.0.0.1 would get. */
export class HttpClient {
  readonly #options: HttpOptions

  constructor(options: HttpOptions) {
    this.#options = options
  }

  async json(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Json> {
    const response = await this.send(method, path, body, headers)
    const raw = await response.text().catch(unreachable)
    if (raw === '') return {}
    try {
      return object(JSON.parse(raw))
    } catch {
      throw new DeskError({ code: 'malformed_answer', message: 'the desk did not answer in JSON' })
    }
  }

  /** The body as its bytes are: a byte order mark is kept, bad UTF-8 is an error. */
  async rawText(path: string): Promise<string> {
    const response = await this.send('GET', path)
    const bytes = await response.arrayBuffer().catch(unreachable)
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    } catch {
      throw new DeskError({ code: 'malformed_answer', message: 'the input is not UTF-8' })
    }
  }

  /** Sends and gives the response when it is a success, whatever its body. */
  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
    const { token, base = '', fetch: send = fetch } = this.#options
    const response = await send(base + path, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'error',
      signal: signal ?? AbortSignal.timeout(patienceMs),
    }).catch(unreachable)
    if (response.ok) return response
    if (response.status === 401) this.#options.onSignedOut?.()
    throw await problem(response)
  }
}

function unreachable(cause: unknown): never {
  throw DeskError.from(cause)
}

/** An RFC 9457 problem, with the extensions `code`, `field` and `call`. */
async function problem(response: Response): Promise<DeskError> {
  const fallback = { code: response.status === 401 ? 'unauthorized' : 'http_' + String(response.status), message: response.statusText || `HTTP ${String(response.status)}` }
  try {
    const p = object(JSON.parse(await response.text()))
    const first = Array.isArray(p.errors) && p.errors.length > 0 ? object(p.errors[0]) : {}
    // The first of errors says what is wrong without naming the field again.
    return new DeskError({
      code: response.status === 401 ? 'unauthorized' : text(p.code) || fallback.code,
      message: text(first.message) || text(p.detail) || text(p.title) || fallback.message,
      field: (text(p.field) || text(first.location)).replace(/^body\./, '') || undefined,
      call: p.call ? call(p.call) : undefined,
    })
  } catch {
    return new DeskError(fallback)
  }
}
