import { randomUUID } from 'node:crypto'
import { Child } from './child'
import { Operator } from './operator'
import { fileServer, program } from './paths'

interface Ready {
  event: string
  url: string
  loginUrl: string
  version: string
}

/** A running sekishod. */
export class Desk extends Operator {
  readonly process: Child
  readonly ready: Ready

  constructor(process: Child, ready: Ready, token: string) {
    super(ready.url, token)
    this.process = process
    this.ready = ready
  }
}

/** Starts sekishod on a data folder; the operator's token goes by a descriptor, as a supervisor would do it. */
export async function startDesk(data: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Desk> {
  const token = `operator-${randomUUID()}`
  const child = new Child(program('sekishod'), ['--data', data, '--listen', '127.0.0.1:0', '--operator-token-file', '/dev/fd/3', ...args], { secret: token, env })
  try {
    return new Desk(child, JSON.parse(await child.firstLine()) as Ready, token)
  } catch (error) {
    await child.end()
    throw error
  }
}

/** The npm file server over stdio on a folder, as the desk's server `filesystem`. */
export function fileServerOn(folder: string): unknown {
  return { id: 'filesystem', transport: 'stdio', command: process.execPath, args: [fileServer(), folder], env: {}, cwd: '', enabled: true }
}
