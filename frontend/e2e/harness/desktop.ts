import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Child } from './child'
import { setUpFiles } from './fixtures'
import { request } from './operator'
import { program } from './paths'
import { until } from './wait'
import { drive, type WebDriver } from './web-driver'
import type { XSession } from './x-session'

/** A data folder that is ready for a window: it has a server, rules and an agent, and no desk on it. */
export interface Prepared {
  data: string
  files: string
  agentToken: string
}

/** Prepares a folder with a desk that has an operator over REST, and ends that desk. */
export function prepare(): Promise<Prepared> {
  return prepareWith({})
}

/** The same, with settings other than those of a new desk. */
export async function prepareWith(settings: Record<string, unknown>): Promise<Prepared> {
  const { desk, ...rest } = await setUpFiles()
  const answer = await request(desk.url, desk.token, 'PATCH', '/v1/settings', settings)
  if (answer.status !== 200) throw new Error(`settings: ${JSON.stringify(answer.body)}`)
  await desk.process.end()
  return rest
}

/** What `desk.json` of a running desk says. */
export interface Place {
  url: string
  pid: number
}

/** The running desk on a folder, once it says where it is. */
export function placeOf(data: string): Promise<Place> {
  return until('desk.json', () => {
    try {
      return JSON.parse(readFileSync(join(data, 'desk.json'), 'utf8')) as Place
    } catch {
      return undefined
    }
  })
}

function flags(data: string): string[] {
  return ['--data', data, '--listen', '127.0.0.1:0']
}

/** Starts the program of the window as it is shipped, for one test. */
export function startWindow(session: XSession, data: string, env: NodeJS.ProcessEnv = {}, more: readonly string[] = []): Child {
  const child = session.start(program('sekisho-desktop'), [...flags(data), ...more], env)
  onTestFinished(() => child.end())
  return child
}

/** Starts the window as it is shipped, for one test, and waits until it shows. */
export async function openWindow(session: XSession, data: string, env: NodeJS.ProcessEnv = {}): Promise<{ child: Child; place: Place }> {
  const child = startWindow(session, data, env)
  const place = await placeOf(data)
  await until('the window', async () => {
    if (!child.running) throw new Error(`it ended: ${child.stderr}`)
    return (await session.windows('Sekisho')).length > 0
  })
  return { child, place }
}

/** Starts the test build of the window under the driver, for one test. */
export async function driveWindow(session: XSession, data: string): Promise<{ driver: WebDriver; place: Place }> {
  const driver = await drive(session, flags(data))
  const place = await placeOf(data)
  onTestFinished(async () => {
    await driver.end()
    if (runs(place.pid)) process.kill(place.pid, 'SIGKILL')
  })
  return { driver, place }
}

/** Whether a process is there and has not ended; one that nobody has asked after yet has. */
export function runs(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** The process that draws the page of a window, or nothing while there is none. */
export function pageOf(window: number): number | undefined {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number)
  return pids.find((pid) => {
    try {
      const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8')
      return status.startsWith('Name:\tWebKitWebProces') && status.includes(`\nPPid:\t${String(window)}\n`) && !/^State:\s+Z/m.test(status)
    } catch {
      return false
    }
  })
}

/** Where things of the approval dialog are, for XPath. Not those of the card that says for a second that the call was settled elsewhere: it names the tool too. */
export function inDialog(tool: string): { box: string; approve: string; decline: string; reason: string } {
  const box = `//*[@role='alertdialog'][.//h2[contains(., ' wants to ')]][.//header//code[. = '${tool}']]`
  const button = (name: string) => `${box}//button[contains(., '${name}')]`
  return { box, approve: `${button('Approve')}[not(@aria-disabled='true')]`, decline: button('Decline'), reason: `${box}//textarea` }
}
