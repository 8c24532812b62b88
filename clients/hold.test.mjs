// A held call reaches a client that waits for it; one that does not wait is told in time,
// and gets the outcome when it asks again.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as aisdk from './aisdk.mjs'
import { openDesk, pause } from './desk.mjs'
import { Counted } from './file.mjs'
import * as inspector from './inspector.mjs'
import * as mastra from './mastra.mjs'
import * as sdk1 from './sdk1.mjs'
import * as sdk2auto from './sdk2-auto.mjs'
import * as sdk2 from './sdk2.mjs'

const heldFor = 70_000 // longer than the 60 s of the clients that count from the call
const givesUp = 60_000

let desk, folder

before(async () => {
  desk = await openDesk([
    { toolName: 'edit_file', effect: 'ask', priority: 1 },
    { effect: 'allow', priority: 0 },
  ])
  folder = desk.folder('files')
  await desk.serve({ files: desk.files(folder) })
  await desk.operator('PATCH', '/v1/settings', { patience: { patient: 600 } })
})

after(() => desk?.end())

/** Runs f with a client at each way, and ends the client. */
function atEachWay(name, client, options, f) {
  for (const kind of ['stdio', 'http']) {
    test(`${name}, ${kind}`, async () => {
      const agent = `${name} ${kind}`
      const ways = await desk.ways(agent, 'files')
      const opened = await client.open(ways[kind], options)
      try {
        await f(opened, new Counted(folder, agent))
      } finally {
        await opened.close()
      }
    })
  }
}

/** What a call says, in the end: its result or its error, as text. */
const said = async (promise) => {
  try {
    return JSON.stringify(await promise)
  } catch (error) {
    return error.message
  }
}

describe('held', { concurrency: true }, () => {
  // The SDKs count from the last progress when they are told to; the AI SDK does not count.
  const renewed = { onprogress: () => {}, resetTimeoutOnProgress: true }
  for (const [client, options] of [[sdk1, renewed], [sdk2, renewed], [sdk2auto, renewed], [aisdk]]) {
    atEachWay(`${client.name} waits`, client, { client: 'patient' }, async (opened, file) => {
      const result = said(opened.call(...file.call, options))
      const call = await desk.call(file.path, (c) => c.status === 'pending')
      assert.ok(call, 'the call waits')
      await Promise.race([pause(heldFor), result.then((r) => assert.fail(`answered before the decision: ${r}`))])
      assert.equal(file.executed, 0)
      await desk.approve(call)
      const answer = await result
      assert.match(answer, /\+xy/, 'the difference that the server made')
      assert.doesNotMatch(answer, /"isError":true/)
      assert.equal(file.executed, 1)
    })
  }

  // As they come, all but the AI SDK give up 60 s after the call.
  for (const client of [sdk1, sdk2, sdk2auto, mastra, aisdk, inspector]) {
    atEachWay(`${client.name} asks again`, client, {}, async (opened, file) => {
      const first = await said(opened.call(...file.call))
      assert.match(first, /PENDING/)
      const answered = Date.now()
      const call = await desk.call(file.path, (c) => c.callerGone)
      assert.ok(answered - Date.parse(call.createdAt) < givesUp, 'in time') // its client may take seconds to start
      await desk.approve(call)
      assert.equal(file.executed, 0)
      const second = await said(opened.call(...file.call))
      assert.match(second, /\+xy/)
      assert.equal(file.executed, 1)
      const { calls } = await desk.operator('GET', '/v1/calls')
      assert.deepEqual(
        calls.filter((c) => c.input.path === file.path).map((c) => c.status),
        ['completed'],
      )
    })
  }
})
