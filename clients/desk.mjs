// A desk to test against, its operator, and the servers behind it.

import { spawn } from 'node:child_process'
import { mkdtempSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
export const programs = {
  sekishod: process.env.SEKISHOD ?? join(here, '../build/bin/sekishod'),
  sekisho: process.env.SEKISHO ?? join(here, '../build/bin/sekisho'),
}

/** The file of an installed package's program. */
export const installed = (path) => join(here, 'node_modules', path)

const everything = installed('@modelcontextprotocol/server-everything/dist/index.js')
const filesystem = installed('@modelcontextprotocol/server-filesystem/dist/index.js')

/** A way to a server: a command to start as here, or {kind: "http", url, headers}. */
export const bareStdio = (args) => ({ kind: 'stdio', command: process.execPath, args })

const running = new Set() // the groups of what start has started
process.once('exit', () => running.forEach((pid) => signal('SIGTERM', -pid)))
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => process.exit(1))

/** Sends a signal to a process, or to the group -pid, if it is still there. */
function signal(name, pid) {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

/**
 * Starts a process in a group of its own. end() asks it to end, waits for it, and takes
 * what is left of its group; kill() kills it alone.
 */
export function start(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], ...options, detached: true })
  if (child.pid === undefined) {
    child.once('error', () => {})
    throw new Error(`start ${command}: it cannot be started`)
  }
  running.add(child.pid)
  const ended = new Promise((resolve) => {
    child.once('close', resolve)
    child.once('error', resolve)
  })
  const end = async () => {
    signal('SIGTERM', child.pid)
    const late = setTimeout(() => signal('SIGKILL', -child.pid), 5000)
    await ended
    clearTimeout(late)
    signal('SIGKILL', -child.pid)
    running.delete(child.pid)
  }
  return { child, ended, end, kill: () => signal('SIGKILL', child.pid) }
}

/** Starts a desk. Rules are its whole list. Everything is in a folder that goes with it, but for what env says. */
export async function openDesk(rules, env = {}) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-clients-')))
  const open = (address) =>
    start(programs.sekishod, ['--data', join(home, 'data'), '--listen', address], {
      env: { ...process.env, XDG_CONFIG_HOME: join(home, 'config'), ...env },
    })
  const program = open('127.0.0.1:0')
  const desk = new Desk(home, open, program, await ready(program))
  try {
    await desk.operator('PUT', '/v1/rules', { rules })
  } catch (error) {
    await desk.end()
    throw error
  }
  return desk
}

async function ready(p) {
  const lines = createInterface({ input: p.child.stdout })[Symbol.asyncIterator]()
  const first = await Promise.race([lines.next(), p.ended.then(() => ({ done: true }))])
  if (first.done) throw new Error('the desk ended before it was ready')
  return JSON.parse(first.value)
}

class Desk {
  #open
  #process
  #token
  #ends = []

  constructor(home, open, program, said) {
    this.home = home
    this.url = said.url
    this.#open = open
    this.#process = program
    this.#token = said.operatorToken
  }

  /** Sends a request of the operator and gives the answer's body. */
  async operator(method, path, body) {
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' }
    const answer = await fetch(this.url + path, { method, headers, body: body && JSON.stringify(body) })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  /** A folder that the file server may use. */
  folder(name) {
    const path = join(this.home, name)
    mkdirSync(path)
    return path
  }

  /** The file server on a folder: without the desk. */
  files(folder) {
    return bareStdio([filesystem, folder])
  }

  /** The everything-server: without the desk. */
  everything() {
    return bareStdio([everything, 'stdio'])
  }

  /** The everything-server's own HTTP endpoint: without the desk. */
  async everythingOverHTTP() {
    const port = await freePort()
    const p = start(process.execPath, [everything, 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#ends.push(p.end)
    for await (const line of createInterface({ input: p.child.stderr })) {
      if (line.includes('listening on port')) break
    }
    p.child.stderr.resume()
    return { kind: 'http', url: `http://127.0.0.1:${port}/mcp`, headers: {} }
  }

  /** Puts servers behind the desk; servers maps an id to the way to it without the desk. */
  async serve(servers) {
    const entries = Object.entries(servers).map(([id, way]) =>
      way.kind === 'stdio' ? { id, transport: 'stdio', command: way.command, args: way.args } : { id, transport: 'http', url: way.url },
    )
    await this.operator('PUT', '/v1/servers', { servers: entries })
  }

  /** A new agent: its token, and the file that holds it. */
  async agent(name) {
    const { token } = await this.operator('POST', '/v1/agents', { name })
    const file = join(this.home, `${name}.token`)
    writeFileSync(file, token, { mode: 0o600 })
    return { token, file }
  }

  /** The file that holds the operator's token. */
  operatorFile() {
    const file = join(this.home, 'operator.token')
    writeFileSync(file, this.#token, { mode: 0o600 })
    return file
  }

  /** The two ways to a server behind the desk, for a new agent. */
  async ways(agent, server) {
    const { token, file } = await this.agent(agent)
    return {
      stdio: { kind: 'stdio', command: programs.sekisho, args: ['--desk', this.url, '--token-file', file, 'mcp', '--server', server] },
      http: { kind: 'http', url: `${this.url}/mcp/${server}`, headers: { Authorization: `Bearer ${token}` } },
    }
  }

  /** The one call of a tool on a path, as soon as holds is true of it; undefined if it never is. */
  async call(path, holds, within = 30_000) {
    for (const until = Date.now() + within; Date.now() < until; await pause(100)) {
      const { calls } = await this.operator('GET', '/v1/calls')
      const call = calls.find((c) => c.input.path === path && holds(c))
      if (call) return call
    }
    return undefined
  }

  /** A person's yes to a call. */
  async approve(call) {
    return this.operator('POST', `/v1/calls/${call.id}/decision`, { approved: true, inputHash: call.inputHash, rev: call.rev })
  }

  /** Starts the desk again, at the same address, once its process has ended. */
  async start() {
    this.#process = this.#open(new URL(this.url).host)
    this.#token = (await ready(this.#process)).operatorToken
  }

  /** Ends the desk's process: asked to, or by SIGKILL. */
  stop = () => this.#process.end()
  kill = () => this.#process.kill()

  /** Ends the desk and all that was started with it. */
  async end() {
    for (const end of [...this.#ends, this.stop]) await end()
    rmSync(this.home, { recursive: true, force: true })
  }
}

/** A port that is free at this moment. */
async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Waits, in milliseconds. */
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
