/** The window as it is shipped beside an empty one of Wails: until it is drawn, and what it takes while nothing happens. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Child } from './harness/child'
import { prepare } from './harness/desktop'
import { middle } from './harness/frames'
import { program, scratch } from './harness/paths'
import { busiest, useOf, wakeups } from './harness/process-tree'
import { pause } from './harness/wait'
import { startXSession, type XSession } from './harness/x-session'

const rounds = 20
const idleMs = 30_000
/** For how long after its start the web view still puts away what it needed for that. */
const settlingMs = 40_000
/** How long the screen stays as it is before it is taken for drawn. */
const stillMs = 1_500

let session: XSession
let watch: string
const folder = scratch()
beforeAll(async () => {
  watch = join(folder.path, 'picture')
  execFileSync('gcc', ['-O2', '-Wall', '-Werror', '-o', watch, join(import.meta.dirname, 'harness/picture.c'), '-lX11', '-lXext', '-lXdamage'])
  session = await startXSession()
})
afterAll(async () => {
  await session.end()
  folder.remove()
})

interface Drawn {
  watcher: Child
  pid: number
  /** Milliseconds from its start until the last change of the screen. */
  took: number
}

async function draw(words: readonly string[]): Promise<Drawn> {
  const watcher = session.start(watch, [String(stillMs), ...words])
  const [pid, , took] = (await watcher.firstLine(60_000)).split(' ').map(Number)
  return { watcher, pid: pid ?? -1, took: took ?? NaN }
}

async function close({ watcher, pid }: Drawn): Promise<void> {
  process.kill(pid, 'SIGTERM')
  await watcher.ended(10_000).catch(() => {
    process.kill(pid, 'SIGKILL')
  })
  await pause(300) // for what it started
}

const row = (what: string, ours: string, empty: string, ratio: number, goal?: number) => {
  const reached = goal === undefined ? '' : `  goal ≤ ${String(goal)}x  ${ratio <= goal ? 'yes' : 'NO'}`
  const times = Number.isFinite(ratio) ? `${ratio.toFixed(2)}x` : 'no ratio'
  process.stdout.write(`${what}: ${ours}, an empty window ${empty}: ${times}${reached}\n`)
}

test('the window beside an empty one', async () => {
  const { data } = await prepare()
  const ours = [program('sekisho-desktop'), '--data', data, '--listen', '127.0.0.1:0']
  const empty = [program('bench/empty-window')]

  const took: { ours: number[]; empty: number[] } = { ours: [], empty: [] }
  for (let n = 0; n < rounds; n++) {
    for (const [name, words] of n % 2 === 0 ? ([['ours', ours], ['empty', empty]] as const) : ([['empty', empty], ['ours', ours]] as const)) {
      const drawn = await draw(words)
      took[name].push(drawn.took)
      await close(drawn)
    }
  }
  const ms = (times: number[]) => `${middle(times).toFixed(0)} ms (${Math.min(...times).toFixed(0)}..${Math.max(...times).toFixed(0)})`
  row('from its start until it is drawn', ms(took.ours), ms(took.empty), middle(took.ours) / middle(took.empty), 1.3)

  // Both at the same time, so that other work on the machine disturbs both.
  const both = [await draw(ours), await draw(empty)] as const
  onTestFinished(() => Promise.all(both.map(close)).then(() => undefined))
  await pause(settlingMs)
  const before = [useOf(both[0].pid), useOf(both[1].pid)] as const
  await pause(idleMs)
  const [a, b] = [useOf(both[0].pid), useOf(both[1].pid)]
  const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`
  row('memory at rest', mib(a.memory), mib(b.memory), a.memory / b.memory)
  const seconds = idleMs / 1000
  const share = (cpu: number) => `${((100 * cpu) / seconds).toFixed(2)} %`
  const cpu = [a.cpu - before[0].cpu, b.cpu - before[1].cpu] as const
  row('processor at rest', share(cpu[0]), share(cpu[1]), cpu[0] / cpu[1])
  const woken = [wakeups(before[0], a), wakeups(before[1], b)] as const
  row('wake-ups a second at rest', (woken[0] / seconds).toFixed(1), (woken[1] / seconds).toFixed(1), woken[0] / woken[1])
  for (const [thread, times] of busiest(before[0], a)) process.stdout.write(`  ${thread}: ${(times / seconds).toFixed(1)}\n`)
  expect(took.ours.every(Number.isFinite)).toBe(true)
}, 300_000)
