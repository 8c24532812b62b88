import { DeskError } from './desk-error'
import { object, params as readParams, read, text, type Json } from './read'
import type { Answered, Asked, Transport } from './transport'
import type { Fault } from './types'

/** Requests to the rows of a desk, whichever way they get there. */
export class Client {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Asks and gives the body as a JSON object; an empty one is {}. */
  async json(method: string, path: string, body?: unknown, more: Partial<Asked> = {}): Promise<Json> {
    return parsed(await this.text(method, path, body === undefined ? undefined : JSON.stringify(body), more))
  }

  /** Asks with JSON text, and gives the body as its bytes are. */
  async text(method: string, path: string, body?: string, more: Partial<Asked> = {}): Promise<string> {
    const answer = await this.#transport.ask({ method, path, body, ...more })
    if (answer.status < 200 || answer.status > 299) throw problem(answer)
    return answer.body
  }
}

export function parsed(raw: string): Json {
  if (raw === '') return {}
  try {
    return object(JSON.parse(raw))
  } catch {
    throw new DeskError({ code: 'malformed_answer', message: 'the desk did not answer in JSON' })
  }
}

/** JSON text of an object with more members whose values are JSON text already; those that are undefined are left out. */
export function withRaw(members: Json, raw: Record<string, string | undefined>): string {
  const plain = JSON.stringify(members).slice(1, -1)
  const more = Object.entries(raw).flatMap(([name, text]) => (text === undefined ? [] : [`${JSON.stringify(name)}:${text}`]))
  return `{${[...(plain === '' ? [] : [plain]), ...more].join(',')}}`
}

/** What is wrong with the field of a path, if an answer says so. */
export function fault(path: string, { code, params }: Json): Fault | undefined {
  const field = path.replace(/^body\./, '')
  return field === '' && code === undefined ? undefined : { code: text(code), params: readParams(params), field }
}

/** An RFC 9457 problem, with the extensions `code`, `field` and `call`. */
function problem({ status, body }: Answered): DeskError {
  const fallback = { code: status === 401 ? 'unauthorized' : `http_${String(status)}`, message: `HTTP ${String(status)}` }
  try {
    const p = object(JSON.parse(body))
    const first = Array.isArray(p.errors) && p.errors.length > 0 ? object(p.errors[0]) : {}
    // The first of errors says what is wrong without naming the field again.
    return new DeskError({
      code: status === 401 ? 'unauthorized' : text(p.code) || fallback.code,
      message: text(first.message) || text(p.detail) || text(p.title) || fallback.message,
      fault: fault(text(p.field) || text(first.location), first),
      call: p.call ? read('Call', p.call) : undefined,
    })
  } catch {
    return new DeskError(fallback)
  }
}
