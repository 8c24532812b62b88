import { readdirSync, readFileSync } from 'node:fs'

/** What a program and all that it started hold and did, from /proc. */
export interface Use {
  /** Memory in bytes, what is shared counted by the share of each process (PSS). */
  memory: number
  /** Processor time so far, in seconds. */
  cpu: number
  /** How often each of their threads was woken so far. */
  woken: Map<string, number>
  /** What each of those threads is called, after its process. */
  names: Map<string, string>
}

/** Clock ticks a second, in which Linux tells processor time. */
const ticks = 100

/** The use of a process and of those below it. */
export function useOf(root: number): Use {
  const use: Use = { memory: 0, cpu: 0, woken: new Map(), names: new Map() }
  for (const pid of below(root)) {
    use.memory += 1024 * field(read(`/proc/${pid}/smaps_rollup`), 'Pss')
    // What stands behind the name, which may have anything in it, begins with the third field.
    const stat = read(`/proc/${pid}/stat`).replace(/^.*\) /s, '').split(' ')
    use.cpu += (Number(stat[11]) + Number(stat[12])) / ticks
    for (const thread of list(`/proc/${pid}/task`)) {
      use.woken.set(thread, field(read(`/proc/${pid}/task/${thread}/status`), 'voluntary_ctxt_switches'))
      use.names.set(thread, `${name(pid)} > ${thread === pid ? 'main thread' : name(`${pid}/task/${thread}`)}`)
    }
  }
  return use
}

/** How often threads were woken between two looks; those that ended in between are left out. */
export function wakeups(before: Use, after: Use): number {
  let sum = 0
  for (const [thread, times] of after.woken) sum += Math.max(0, times - (before.woken.get(thread) ?? 0))
  return sum
}

/** The threads that were woken most between two looks, with how often. */
export function busiest(before: Use, after: Use): [name: string, times: number][] {
  return [...after.woken]
    .map(([thread, times]): [string, number] => [after.names.get(thread) ?? thread, times - (before.woken.get(thread) ?? 0)])
    .filter(([, times]) => times > 0)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 5)
}

function below(root: number): string[] {
  const children = new Map<string, string[]>()
  for (const pid of list('/proc').filter((name) => /^\d+$/.test(name))) {
    const parent = String(field(read(`/proc/${pid}/status`), 'PPid'))
    children.set(parent, [...(children.get(parent) ?? []), pid])
  }
  const found = [String(root)]
  for (const pid of found) found.push(...(children.get(pid) ?? []))
  return found
}

function field(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0)
}

function name(task: string): string {
  return read(`/proc/${task}/comm`).trim()
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // it has ended
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
