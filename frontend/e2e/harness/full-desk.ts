import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { fileServerOn, startDesk } from './desk'
import type { FileSetting } from './fixtures'
import { ask, request, type RuleInput } from './operator'
import { fileServer, scratch } from './paths'
import { aTeam } from './team'
import { until } from './wait'

const far = '/home/somebody/a-folder-with-a-long-name'

/** Rules of each kind: with a condition, off, over, never deciding. Notes are in letters of no language of the page. */
const rules: readonly RuleInput[] = [
  { id: 'reading', serverId: 'filesystem', toolPattern: 'read_*', effect: 'allow', priority: 100, note: 'αβγ δεζ ηθι κλμ νξο' },
  { id: 'hidden', serverId: 'filesystem', toolName: 'read_file', effect: 'deny', priority: 90 },
  { id: 'notes', serverId: 'filesystem', toolName: 'write_file', effect: 'allow', priority: 80, condition: 'under(input.path, "/home/me/notes")' },
  { id: 'over', serverId: 'git', toolName: 'fetch_all_remotes_and_prune', effect: 'allow', priority: 70, expiresAt: '2020-01-01T00:00:00.000Z' },
  { id: 'off', serverId: 'git', toolName: 'push', effect: 'deny', priority: 60, enabled: false },
  { id: 'looking', serverId: 'rockets', toolPattern: 'look_*', effect: 'allow', priority: 50 },
  { id: 'never', serverId: 'rockets', toolName: 'explode', effect: 'deny', priority: 40, condition: `under(input.path, "${far}")` },
  { id: 'rest', effect: 'ask', priority: 0 },
]

/** Longer than any test: what waits is still there at its end. What a call asks for can only shorten them. */
const deadlines = { low: 3_600, medium: 3_600, high: 3_600 }

/**
 * One desk for all tests of a file, with something to show on each of its screens: an app to
 * connect, three agents, a server, rules, answered calls, one in doubt, a grant, and three calls that wait.
 */
export function aFullDesk(): () => FileSetting {
  let setting: FileSetting | undefined
  const place = scratch()
  beforeAll(async () => {
    const [data, files] = [join(place.path, 'data'), join(place.path, 'files')]
    mkdirSync(files)
    mkdirSync(join(place.path, '.cursor'))
    writeFileSync(join(place.path, '.cursor/mcp.json'), JSON.stringify({ mcpServers: { notes: { command: process.execPath, args: [fileServer(), files] } } }))
    const home = { HOME: place.path, XDG_CONFIG_HOME: join(place.path, '.config'), XDG_DATA_HOME: join(place.path, '.local/share'), XDG_RUNTIME_DIR: '', CLAUDE_CONFIG_DIR: '', CODEX_HOME: '' }
    const desk = await startDesk(data, [], home)
    await desk.putServers([fileServerOn(files)])
    await desk.putRules(rules)
    await desk.changeSettings({ deadlines })
    setting = { desk, data, files, agentToken: await desk.createAgent('scribe') }
    await fill(setting)
  })
  afterAll(async () => {
    await setting?.desk.process.end()
    place.remove()
  })
  return () => {
    if (!setting) throw new Error('the desk runs inside tests only')
    return setting
  }
}

/** Makes what a desk has after a while of work. */
async function fill({ desk, files, agentToken }: FileSetting): Promise<void> {
  const { url } = desk
  const answered = async (tool: string, answer: Record<string, unknown>, more: Record<string, unknown> = {}) => {
    const { id } = await ask(url, agentToken, tool, more)
    await desk.answer(await desk.call(id), answer)
    return desk.call(id)
  }
  await ask(url, agentToken, 'look_up', { input: { n: 1 } })
  await ask(url, agentToken, 'explode', { input: { path: `${far}/x` } })
  await answered('refuel', { approved: false, reason: 'δ' }, { input: { litres: 10 } })
  for (let n = 0; n < 3; n++) await answered('paint', { approved: true }, { runId: `paint ${String(n)}`, input: { colour: 'red' } })
  await answered('land', { approved: true, scope: 'class', forSeconds: 3_600 }, { sessionId: 'night', input: { n: 1 } })
  const lost = await answered('ignite', { approved: true }, { runId: 'doubt', input: { n: 3 } })
  const claimed = await request(url, agentToken, 'POST', `/v1/calls/${lost.id}/claim`, { inputHash: lost.inputHash, claimant: 'e2e', claimKey: 'k', leaseSeconds: 1 })
  if (claimed.status !== 200) throw new Error(`claim: ${JSON.stringify(claimed.body)}`)
  const nightly = await desk.createAgent('nightly')
  await desk.createAgent('an-agent-with-a-rather-long-name')
  const path = join(files, 'poem.txt')
  writeFileSync(path, 'α\nβ\nγ\n')
  await ask(url, agentToken, 'write_file', { serverId: 'filesystem', sessionId: 'spring', input: { path, content: 'α\n2\nγ\n' } })
  await ask(url, agentToken, 'execute_command', { serverId: 'shell', sessionId: 'spring', input: { command: 'git log | head; rm -rf build' } })
  await ask(url, nightly, 'sweep', { input: { n: 4 } })
  await aTeam(desk, { project: 'p-1', tasks: ['αβγ', 'δεζ', 'ηθι'], description: 'κλμ', message: 'νξο' })
  await until('the doubt', async () => (await desk.call(lost.id)).status === 'in_doubt')
}
