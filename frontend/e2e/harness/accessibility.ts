import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { until } from './wait'
import type { XSession } from './x-session'

const script = join(import.meta.dirname, 'accessibility.py')

interface Said {
  answer?: unknown
  trouble?: string
}

/** How long an answer may take. */
const answerMs = 30_000

/** An answer; of a program that was ended, half of one may be left. */
function said(line: string): Said {
  try {
    return JSON.parse(line) as Said
  } catch {
    return { trouble: 'it ended within its answer' }
  }
}

/** A program in a session that sees and uses its windows as assistive technology does. To start takes it longer than most of what it is asked. */
class Reader {
  readonly #process
  readonly #asked: ((said: Said) => void)[] = []

  constructor(env: NodeJS.ProcessEnv) {
    this.#process = spawn('/usr/bin/python3', [script], { env, stdio: ['pipe', 'pipe', 'inherit'] })
    createInterface(this.#process.stdout).on('line', (line) => {
      this.#asked.shift()?.(said(line))
    })
    // Why it has ended, or did not start, is told below.
    this.#process.on('error', () => undefined)
    this.#process.stdin.on('error', () => undefined)
    this.#process.on('close', () => {
      for (const told of this.#asked.splice(0)) told({ trouble: 'it ended' })
    })
  }

  get runs(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null
  }

  async ask(words: readonly string[]): Promise<unknown> {
    const hangs = setTimeout(() => this.#process.kill('SIGKILL'), answerMs)
    const { answer, trouble } = await new Promise<Said>((told) => {
      this.#asked.push(told)
      this.#process.stdin.write(`${JSON.stringify(words)}\n`)
    })
    clearTimeout(hangs)
    if (trouble !== undefined) throw new Error(`${words.join(' ')}: ${trouble}`)
    return answer
  }
}

/** The reader of each session, which ends with it. */
const readers = new WeakMap<XSession, Reader>()

function ask(session: XSession, ...words: string[]): Promise<unknown> {
  let reader = readers.get(session)
  if (!reader?.runs) {
    reader = new Reader(session.env)
    readers.set(session, reader)
  }
  return reader.ask(words)
}

/** An object as assistive technology sees it. */
export interface Seen {
  role: string
  name: string
  description: string
  text: string
  enabled: boolean
  focused: boolean
  modal: boolean
  showing: boolean
}

/** Everything that assistive technology sees in the session. */
export async function accessibleTree(session: XSession): Promise<Seen[]> {
  return (await ask(session, 'tree')) as Seen[]
}

/** Waits for an object of a role whose name has these words, and whose description is like that. */
export function seen(session: XSession, role: RegExp, words: string, description = /(?:)/): Promise<Seen> {
  return until(`${String(role)} with ${words}, described as ${String(description)}`, async () =>
    (await accessibleTree(session)).find((o) => role.test(o.role) && o.name.includes(words) && description.test(o.description)),
  )
}

/** Presses a button, a link or a choice by its name, once it is enabled. */
export async function press(session: XSession, name: string, role: 'button' | 'link' | 'radio' = 'button'): Promise<void> {
  await until(`the ${role} ${name}`, () => ask(session, 'press', name, role).then(() => true))
}

/** Clicks what has a role and a name with the mouse, and leaves the pointer there. */
export async function click(session: XSession, name: string, role: 'button' | 'link' | 'entry' = 'button'): Promise<void> {
  const [x, y] = (await until(`the ${role} ${name}`, () => ask(session, 'place', name, role))) as [number, number]
  await session.run('xdotool', 'mousemove', String(x), String(y), 'click', '1')
}

/** Writes into the field of a name in place of what stands there: the focus is put there by it, and the text typed. */
export async function write(session: XSession, name: string, text: string): Promise<void> {
  await until(`the field ${name}`, () => ask(session, 'enter', name).then(() => true))
  await until(`the focus in ${name}`, async () => (await accessibleTree(session)).some((o) => o.name === name && o.focused))
  await session.keys('ctrl+a')
  await session.run('xdotool', 'type', text)
  await until(`${name} to have it`, async () => (await accessibleTree(session)).some((o) => o.name === name && o.text === text))
}
