import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { Agent } from './agent'
import { fileServerOn, startDesk, type Desk } from './desk'
import type { RuleInput } from './operator'
import { scratch } from './paths'

/** A desk on a folder of its own, and an agent's token. */
export interface Setting {
  desk: Desk
  /** The desk's data folder. */
  data: string
  agentToken: string
}

/** The same with a file server behind the desk. */
export interface FileSetting extends Setting {
  /** The folder that the file server writes to. */
  files: string
}

/** The example rules: reading is allowed, all else is asked. */
export const readingAllowed: readonly RuleInput[] = [
  { serverId: 'filesystem', toolPattern: 'read_*', effect: 'allow', priority: 100 },
  { effect: 'ask', priority: 0 },
]

/** Sets a desk up for one test, which ends it. */
export async function setUp(rules: readonly RuleInput[] = readingAllowed): Promise<Setting> {
  const place = scratch()
  onTestFinished(place.remove)
  const data = join(place.path, 'data')
  const desk = await openDesk(data)
  await desk.putRules(rules)
  return { desk, data, agentToken: await desk.createAgent('scribe') }
}

/** Sets up a desk with a file server behind it. */
export async function setUpFiles(rules?: readonly RuleInput[]): Promise<FileSetting> {
  const setting = await setUp(rules)
  const files = join(setting.data, '../files')
  mkdirSync(files)
  await setting.desk.putServers([fileServerOn(files)])
  return { ...setting, files }
}

/** Starts a desk for one test, which ends it. */
export async function openDesk(data: string): Promise<Desk> {
  const desk = await startDesk(data)
  onTestFinished(() => desk.process.end())
  return desk
}

/** Connects an agent for one test, which closes it. */
export async function openAgent(url: string, token: string): Promise<Agent> {
  const agent = await new Agent(url, token).connect()
  onTestFinished(() => agent.close().catch(() => undefined))
  return agent
}
