// Programs and desks that are killed -9: nothing unapproved, nothing twice, nothing lost.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before } from 'node:test'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { start } from '../../../clients/desk.mjs'
import { chaos } from './chaos.mjs'
import { deskWith, pause, test } from './person.mjs'

let desk
before(async () => (desk = await deskWith()))
after(() => desk.end())

const worker = fileURLToPath(new URL('worker.mjs', import.meta.url))

/** Starts the program of a run; a second one goes on with its history. */
function program(runId, toolName, version, slow = 0) {
  const env = { ...process.env, SEKISHO_URL: desk.url, SEKISHO_TOKEN: desk.token }
  const history = join(desk.home, `${runId}.json`)
  const args = [worker, desk.effects, history, toolName, runId, slow, version]
  const p = start(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  return { ...p, history, said: text(p.child.stdout).catch(() => '') }
}

const ran = (runId) => desk.effectsSoFar().filter((line) => line.startsWith(`${runId}/`)).length

for (const version of [5, 6, 7]) {
  test(`AI SDK ${version}: killed while its call waits; approved meanwhile, two go on: once`, async () => {
    const runId = `waiting-${version}`
    const first = program(runId, 'pay', version)
    const [call] = await desk.waiting()
    while (version !== 5 && !existsSync(first.history)) await pause(30)
    first.kill()
    await first.ended
    await desk.answer(call, { approved: true })
    const two = [program(runId, 'pay', version), program(runId, 'pay', version)]
    for (const p of two) assert.match(await p.said, /Done\./)
    assert.equal(ran(runId), 1)
  })

  test(`AI SDK ${version}: killed inside execute: another one does not run it again`, async () => {
    const runId = `inside-${version}`
    const first = program(runId, 'read_it', version, 60_000)
    while (ran(runId) < 1) await pause(30)
    first.kill()
    await first.ended
    const [call] = (await desk.calls()).filter((row) => row.runId === runId)
    assert.equal(call.status, 'claimed')
    const second = program(runId, 'read_it', version)
    await pause(4000)
    assert.equal(ran(runId), 1)
    second.kill()
    await second.ended
  })
}

test('100 random kills of the desk and the programs', async (t) => {
  const counts = await chaos(desk, (runId, tool, turn) => program(runId, tool, [5, 6, 7][turn % 3], 20), 100)
  t.diagnostic(JSON.stringify(counts))
  assert.ok(counts.completed > 3 && counts.declined > 3, JSON.stringify(counts))
}, 30)
