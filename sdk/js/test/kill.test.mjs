// Programs and desks that are killed -9: nothing unapproved, nothing twice, nothing lost.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { text } from 'node:stream/consumers'
import { existsSync } from 'node:fs'
import { start } from '../../../clients/desk.mjs'
import { deskWith, pause, test } from './person.mjs'

let desk
before(async () => (desk = await deskWith()))
after(() => desk.end())

const worker = fileURLToPath(new URL('worker.mjs', import.meta.url))

/** Starts the program of a run; a second one goes on with its history. */
function program(runId, toolName, slow = 0) {
  const env = { ...process.env, SEKISHO_URL: desk.url, SEKISHO_TOKEN: desk.token }
  const history = join(desk.home, `${runId}.json`)
  const p = start(process.execPath, [worker, desk.effects, history, toolName, runId, slow], { env })
  return { ...p, history, said: text(p.child.stdout) }
}

const ran = (runId) => desk.effectsSoFar().filter((line) => line.startsWith(`${runId}/`)).length

test('the program is killed while its call waits; approved meanwhile, two go on: it runs once', async () => {
  const first = program('killed-waiting', 'pay')
  const [call] = await desk.waiting()
  while (!existsSync(first.history)) await pause(30)
  first.kill()
  await first.ended
  await desk.answer(call, { approved: true })
  const two = [program('killed-waiting', 'pay'), program('killed-waiting', 'pay')]
  await Promise.all(two.map((p) => p.ended))
  for (const p of two) assert.match(await p.said, /Done\./)
  assert.equal(ran('killed-waiting'), 1)
})

test('the program is killed inside execute: another one does not run it again', async () => {
  const first = program('killed-inside', 'pay', 60_000)
  const [call] = await desk.waiting()
  while (!existsSync(first.history)) await pause(30)
  await desk.answer(call, { approved: true })
  while (ran('killed-inside') < 1) await pause(30)
  first.kill()
  await first.ended
  const row = () => desk.operator('GET', `/v1/calls/${call.id}`)
  assert.equal((await row()).call.status, 'claimed')
  const second = program('killed-inside', 'pay')
  await pause(1500)
  assert.equal(ran('killed-inside'), 1)
  second.kill()
  await second.ended
})

test('desk and program are killed at random: nothing unapproved, nothing twice, nothing lost', async () => {
  const rounds = Number(process.env.SEKISHO_SDK_KILLS ?? 6)
  for (let i = 0; i < rounds; i++) {
    const runId = `random-${i}`
    const first = program(runId, 'read_it', 20)
    await pause(Math.random() * 900)
    if (i % 2) first.kill()
    else desk.kill()
    if (i % 2 === 0) await desk.start()
    await first.ended
    if (!/Done\./.test(await first.said)) await Promise.race([program(runId, 'read_it').ended, pause(8000)])
    assert.ok(ran(runId) <= 1, `${runId} ran ${ran(runId)} times`)
    const rows = (await desk.calls()).filter((call) => call.runId === runId)
    assert.ok(rows.length <= 1)
    if (ran(runId) === 1) assert.ok(['completed', 'claimed', 'in_doubt'].includes(rows[0].status))
  }
})
