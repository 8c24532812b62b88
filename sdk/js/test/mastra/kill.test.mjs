// Programs of Mastra with a database of libsql, and desks, that are killed -9.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { start } from '../../../../clients/desk.mjs'
import { chaos } from '../chaos.mjs'
import { deskWith, pause, test } from '../person.mjs'

let desk
before(async () => (desk = await deskWith()))
after(() => desk.end())

const worker = fileURLToPath(new URL('worker.mjs', import.meta.url))

/** Starts the program of a run; a second one goes on with its database. */
function program(runId, toolName, { slow = 0, go = 'go' } = {}) {
  const env = { ...process.env, SEKISHO_URL: desk.url, SEKISHO_TOKEN: desk.token }
  const args = [worker, desk.effects, join(desk.home, `${runId}.db`), toolName, runId, slow, go]
  const p = start(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  return { ...p, said: text(p.child.stdout).catch(() => '') }
}

const ran = (runId) => desk.effectsSoFar().filter((line) => line.startsWith(`${runId}/`)).length

test('Mastra: killed while its call waits; approved meanwhile, two processes recover: once', async () => {
  const first = program('waiting', 'pay')
  const [call] = await desk.waiting()
  first.kill()
  await first.ended
  await desk.answer(call, { approved: true })
  const two = [program('waiting', 'pay', { go: '' }), program('waiting', 'pay', { go: '' })]
  const said = await Promise.all(two.map((p) => p.said))
  assert.match(said.join(), /Done\./)
  assert.equal(ran('waiting'), 1)
  assert.equal((await client(call.id)).status, 'completed')
})

const client = async (id) => (await desk.operator('GET', `/v1/calls/${id}`)).call

test('Mastra: the desk is killed while a call waits, and comes back', async () => {
  const p = program('desk', 'pay')
  await desk.waiting()
  desk.kill()
  await pause(300)
  await desk.start()
  await desk.answerNext({ approved: true })
  assert.match(await p.said, /Done\./)
  assert.equal(ran('desk'), 1)
})

test('Mastra: killed inside execute: another process does not run it again', async () => {
  const first = program('inside', 'pay', { slow: 60_000 })
  await desk.answerNext({ approved: true })
  while (ran('inside') < 1) await pause(30)
  first.kill()
  await first.ended
  const second = program('inside', 'pay', { go: '' })
  await pause(6000)
  assert.equal(ran('inside'), 1)
  second.kill()
  await second.ended
})

const kills = Number(process.env.SEKISHO_SDK_KILLS || 10)

test(`${kills} random kills of the desk and the programs of Mastra`, async (t) => {
  const counts = await chaos(desk, (runId, tool) => program(runId, tool, { slow: 20 }), kills, { lanes: 2, most: 8000 })
  t.diagnostic(JSON.stringify(counts))
  assert.ok(counts.completed > 0, JSON.stringify(counts))
}, 30)
