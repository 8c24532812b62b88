// Connections to the desk: where it is, whose token is used. A desk proves itself on each
// connection before anything else is sent.

import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent, request, type ClientRequestArgs, type IncomingMessage } from 'node:http'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { homedir, platform } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'

/** Where the desk is, and who asks; what is left out is found as the program `sekisho` finds it. */
export interface DeskOptions {
  /** The desk's address. Else SEKISHO_URL, else the desk.json of the running desk. */
  url?: string
  /** The agent's token. */
  token?: string
  /** The agent whose kept token is used, where no token is given. Else SEKISHO_TOKEN. */
  agent?: string
}

const home = (...parts: string[]) => join(homedir(), ...parts, 'sekisho')
const absolute = (variable: string) => {
  const set = process.env[variable]
  return set && isAbsolute(set) ? join(set, 'sekisho') : undefined
}
const own = (windows: string, ...other: string[]) => {
  if (platform() === 'darwin') return home('Library', 'Application Support')
  return (platform() === 'win32' && absolute(windows)) || home(...other)
}
const dataFolder = () => absolute('XDG_DATA_HOME') ?? own('LOCALAPPDATA', '.local', 'share')
const configFolder = () => {
  const others = platform() === 'darwin' || platform() === 'win32'
  return (others ? undefined : absolute('XDG_CONFIG_HOME')) ?? own('APPDATA', '.config')
}

/** Finds the desk's address, anew for each request: a desk may come back elsewhere. */
export function findUrl(options: DeskOptions): URL {
  const given = options.url ?? process.env.SEKISHO_URL
  if (given) return new URL(given)
  const runtime = process.env.XDG_RUNTIME_DIR
  const places = runtime && isAbsolute(runtime) ? [join(runtime, 'sekisho')] : []
  for (const place of [...places, dataFolder()]) {
    try {
      const text = readFileSync(join(place, 'desk.json'), 'utf8')
      const desk = JSON.parse(text) as { url: string; pid: number }
      process.kill(desk.pid, 0) // a killed desk's port may be anybody's
      return new URL(desk.url)
    } catch {
      continue
    }
  }
  throw new Error('Sekisho is not running: start it, or say where it is with SEKISHO_URL')
}

/** Finds the agent's token. */
export function findToken(options: DeskOptions): string {
  if (options.token) return options.token.trim()
  if (options.agent !== undefined) {
    const name = options.agent
    if (!/^[^/\\]+$/.test(name) || /^\.+$/.test(name)) {
      throw new Error(`${JSON.stringify(name)} is not an agent's name`)
    }
    return readFileSync(join(configFolder(), 'agents', `${name}.token`), 'utf8').trim()
  }
  const token = process.env.SEKISHO_TOKEN?.trim()
  if (!token) throw new Error("no agent's token: give one, name the agent, or set SEKISHO_TOKEN")
  return token
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()

/** Names a token without telling it: the key of a question for the desk's proof. */
export const proofKey = (token: string) => sha256(sha256(token)).subarray(0, 8).toString('hex')

/** The proof that the desk knows a token, for a nonce and the address that was reached. */
export const proofOf = (token: string, nonce: string, address: string) =>
  createHmac('sha256', sha256(token)).update(`sekisho-proof-1\n${nonce}\n${address}`).digest('hex')

/** The address that a socket was connected to, in the one way in which both sides write it. */
export function dialled(
  host: string,
  port: number,
  socket: { remoteAddress?: string; remotePort?: number },
): string {
  if (!isIP(host) && host.toLowerCase() !== 'localhost') return `${host.toLowerCase()}:${port}`
  const reached = (socket.remoteAddress ?? host).toLowerCase()
  const ip = reached.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/, '')
  return `${ip.includes(':') ? `[${ip}]` : ip}:${socket.remotePort ?? port}`
}

const patience = 5_000 // for a proof, in milliseconds
const maxAnswer = 16 * 1024
const nothing = 'no token was sent to it'

/** Asks what is at the other end of a socket to prove that it knows the token. */
async function prove(socket: Socket, token: string, url: URL, host: string): Promise<void> {
  const address = dialled(host, portOf(url), socket)
  const nonce = randomBytes(32).toString('hex')
  const body = JSON.stringify({ key: proofKey(token), nonce, address })
  socket.write(
    `POST /v1/proof HTTP/1.1\r\nHost: ${url.host}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  const { status, text } = await answer(socket, address)
  if (status === 401) {
    throw new Error(`what answers at ${address} does not know this token: ${nothing}`)
  }
  const want = Buffer.from(proofOf(token, nonce, address))
  const got = Buffer.from(/"proof": *"([0-9a-f]+)"/.exec(text)?.[1] ?? '')
  if (status !== 200 || got.length !== want.length || !timingSafeEqual(got, want)) {
    throw new Error(`what answers at ${address} did not prove that it is the desk: ${nothing}`)
  }
}

/** Reads one small answer of HTTP from a socket, and no byte more. */
function answer(socket: Socket, address: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    let read = Buffer.alloc(0)
    const settle = (act: () => void) => {
      clearTimeout(late)
      socket.off('readable', more).off('error', fail).off('close', closed)
      act()
    }
    const fail = (why: Error) => settle(() => reject(why))
    const refuse = (why: string) => fail(new Error(`what answers at ${address} ${why}: ${nothing}`))
    const closed = () => refuse('closed the connection instead of proving itself')
    const late = setTimeout(() => refuse('did not prove itself in time'), patience)
    const more = () => {
      for (let part; (part = socket.read() as Buffer | null) !== null; ) {
        read = Buffer.concat([read, part])
      }
      const end = read.indexOf('\r\n\r\n')
      const head = read.subarray(0, Math.max(end, 0)).toString('latin1')
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? NaN)
      const foreign = read.length > maxAnswer || (end >= 0 && !(length <= maxAnswer))
      if (foreign) return refuse('is not the desk')
      if (end < 0 || read.length < end + 4 + length) return
      const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1])
      settle(() => resolve({ status, text: read.subarray(end + 4).toString() }))
    }
    socket.on('readable', more).on('error', fail).on('close', closed)
    more()
  })
}

const portOf = (url: URL) => Number(url.port || (url.protocol === 'https:' ? 443 : 80))

/** Sockets that the desk has proved itself on; what took its port since has to do so anew. */
class ProvedAgent extends Agent {
  constructor(
    private readonly url: URL,
    private readonly token: string,
  ) {
    super({ keepAlive: true, maxSockets: 64 })
  }

  override createConnection(
    _: ClientRequestArgs,
    done?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const host = this.url.hostname.replace(/^\[|\]$/g, '')
    const to = { host, port: portOf(this.url) }
    const secure = this.url.protocol === 'https:'
    const socket = secure
      ? connectTls({ ...to, servername: isIP(host) ? '' : host, ALPNProtocols: ['http/1.1'] })
      : connectTcp(to)
    const fail = (error: Error) => {
      socket.destroy()
      done?.(error, socket)
    }
    socket.once('error', fail)
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      socket.off('error', fail)
      prove(socket, this.token, this.url, host).then(() => done?.(null, socket), fail)
    })
  }
}

export interface Asking {
  body?: string
  headers?: Record<string, string>
  signal?: AbortSignal
  /** How long the desk may be silent, in milliseconds. */
  timeout?: number
}

export interface Answer {
  status: number
  retryAfter: number
  text: string
}

/** Requests of one agent to one desk. */
export class Connection {
  #agents = new Map<string, ProvedAgent>()
  #token: string

  constructor(private readonly options: DeskOptions) {
    this.#token = findToken(options)
  }

  /** The desk's address, or what is known of it, for a message. */
  where(): string {
    try {
      return findUrl(this.options).origin
    } catch {
      return 'an unknown address'
    }
  }

  /** Starts a request and gives the answer's head; its body is still to be read. */
  open(method: string, path: string, o: Asking = {}): Promise<IncomingMessage> {
    const url = findUrl(this.options)
    const token = this.#token
    let agent = this.#agents.get(url.origin)
    if (!agent) this.#agents.set(url.origin, (agent = new ProvedAgent(url, token)))
    const bearer = { host: url.host, authorization: `Bearer ${token}` }
    const headers: Record<string, string> = { ...bearer, ...o.headers }
    if (o.body !== undefined) {
      headers['content-type'] = 'application/json'
      headers['content-length'] = String(Buffer.byteLength(o.body))
    }
    const { signal, timeout = 30_000 } = o
    return new Promise((resolve, reject) => {
      const to = { host: url.hostname, port: portOf(url), path }
      const asked = request({ agent, method, ...to, headers, signal, timeout }, resolve)
      asked.on('error', reject)
      asked.on('timeout', () => asked.destroy(new Error('it did not answer in time')))
      asked.end(o.body)
    })
  }

  /** Makes a request and gives the whole answer. */
  async ask(method: string, path: string, o: Asking = {}): Promise<Answer> {
    const response = await this.open(method, path, o)
    const parts: Buffer[] = []
    for await (const part of response) parts.push(part as Buffer)
    const retryAfter = Number(response.headers['retry-after'] ?? NaN)
    return { status: response.statusCode ?? 0, retryAfter, text: Buffer.concat(parts).toString() }
  }

  /** Closes the connections that are kept. */
  close(): void {
    for (const agent of this.#agents.values()) agent.destroy()
    this.#agents.clear()
  }
}
