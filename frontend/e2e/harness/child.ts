import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import type { Writable } from 'node:stream'
import { pause, until } from './wait'

export interface ChildOptions {
  env?: NodeJS.ProcessEnv
  /** Written to file descriptor 3, which is then closed. */
  secret?: string
  /** Give descriptor 3 to the child for it to write to. */
  reports?: boolean
}

/** How long output of a child that ended may still be on its way. */
const lastWordsMs = 50

/** A program that a test started and ends. */
export class Child {
  readonly #process: ChildProcess
  readonly #ended: Promise<number | NodeJS.Signals>
  /** What was on descriptor 3, for a child that reports there. */
  report = ''
  stdout = ''
  stderr = ''

  constructor(command: string, args: readonly string[], { env, secret, reports }: ChildOptions = {}) {
    const stdio: StdioOptions = ['ignore', 'pipe', 'pipe']
    if (secret !== undefined || reports) stdio.push('pipe')
    this.#process = spawn(command, args, { stdio, env: { ...process.env, ...env } })
    this.#process.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()))
    this.#process.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()))
    this.#process.stdio[3]?.on('data', (chunk: Buffer) => (this.report += chunk.toString()))
    this.#process.stdio[3]?.on('error', () => undefined) // it ended before it read: its own words say why
    if (secret !== undefined) (this.#process.stdio[3] as Writable).end(secret)
    this.#ended = new Promise((done, broken) => {
      this.#process.on('error', broken)
      // Not 'close': what the child left behind may hold its output open.
      this.#process.on('exit', (code, signal) => {
        setTimeout(() => {
          done(code ?? signal ?? -1)
        }, lastWordsMs)
      })
    })
    this.#ended.catch(() => undefined)
  }

  get pid(): number {
    return this.#process.pid ?? -1
  }

  get running(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null
  }

  /** The first line of standard output that is whole. */
  async firstLine(ms = 15_000): Promise<string> {
    await until(`a line from ${this.#process.spawnfile}`, () => this.stdout.includes('\n') || !this.running, ms)
    if (!this.stdout.includes('\n')) throw new Error(`${this.#process.spawnfile} ended: ${this.stderr}`)
    return this.stdout.slice(0, this.stdout.indexOf('\n'))
  }

  /** Its exit code, or the signal that ended it. */
  async ended(ms: number): Promise<number | NodeJS.Signals> {
    const late = pause(ms).then(() => {
      throw new Error(`${this.#process.spawnfile} (${String(this.pid)}) still runs after ${String(ms)} ms: ${this.stderr}`)
    })
    return Promise.race([this.#ended, late])
  }

  signal(signal: NodeJS.Signals): void {
    if (this.running) this.#process.kill(signal)
  }

  /** Ends it: politely, then for good. */
  async end(): Promise<void> {
    this.signal('SIGTERM')
    await this.ended(5_000).catch(() => {
      this.signal('SIGKILL')
    })
    await this.#ended.catch(() => undefined)
  }
}
