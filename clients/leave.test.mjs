// Whatever way a client leaves a held call, a later yes does not execute it.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import * as aisdk from './aisdk.mjs'
import { openDesk, pause, start } from './desk.mjs'
import { Counted } from './file.mjs'
import * as inspector from './inspector.mjs'
import * as mastra from './mastra.mjs'
import * as sdk1 from './sdk1.mjs'
import * as sdk2auto from './sdk2-auto.mjs'
import * as sdk2 from './sdk2.mjs'

const soon = 10_000 // from a leaving that the desk can see until it is seen
const silently = 60_000 // from one that it cannot see, until it ends the waiting by itself
const watched = 3000 // how long nothing may happen after the yes

let desk, folder

before(async () => {
  desk = await openDesk([
    { toolName: 'edit_file', effect: 'ask', priority: 1 },
    { effect: 'allow', priority: 0 },
  ])
  folder = desk.folder('files')
  await desk.serve({ files: desk.files(folder) })
  // So that it is the client that leaves, and not the desk. Mastra gives the server's name, s, as its own.
  await desk.operator('PATCH', '/v1/settings', { patience: { long: 600, s: 600, 'inspector-cli': 600 } })
})

after(() => desk?.end())

/** begin(way, file) begins the file's call, and gives how to leave it and how to end all. */
function nothingRuns(name, within, begin, kinds = ['stdio', 'http']) {
  for (const kind of kinds) {
    test(`${name}, ${kind}`, async () => {
      const agent = `${name} ${kind}`
      const file = new Counted(folder, agent)
      const { leave, end } = await begin((await desk.ways(agent, 'files'))[kind], file)
      try {
        assert.ok(await desk.call(file.path, (c) => c.status === 'pending' && !c.callerGone), 'the call waits')
        await leave()
        const left = await desk.call(file.path, (c) => c.callerGone, within)
        assert.equal(left?.status, 'pending', 'the desk knows that nobody waits')
        await desk.approve(left)
        await pause(watched)
        assert.equal((await desk.call(file.path, () => true)).status, 'approved')
        assert.equal(file.executed, 0)
      } finally {
        await end()
      }
    })
  }
}

/** Begins a call of a client in this process. */
const calling = (client, options, called, leave) => async (way, file) => {
  const opened = await client.open(way, options)
  const result = opened.call(...file.call, called).then(
    (r) => assert.fail(`answered: ${JSON.stringify(r)}`),
    (error) => error,
  )
  result.catch(() => {})
  return { leave: () => leave(opened, result), end: () => opened.close() }
}

const fails = (opened, result) => result
const closes = (opened) => opened.close()
const long = { client: 'long' }

/** Begins a call that a signal aborts. */
const aborting = (client, options) => (way, file) => {
  const stop = new AbortController()
  const abort = async (opened, result) => {
    stop.abort(new Error('stopped by the user'))
    await result
  }
  return calling(client, options, { signal: stop.signal }, abort)(way, file)
}

describe('left', { concurrency: true }, () => {
  describe('cancelled', { concurrency: 3 }, () => {
    // Over stdio the AI SDK forgets the call without a word.
    nothingRuns('AI SDK cancels', silently, aborting(aisdk, {}), ['stdio'])
    nothingRuns('AI SDK cancels', soon, aborting(aisdk, long), ['http'])
    for (const client of [sdk1, sdk2, sdk2auto, mastra]) nothingRuns(`${client.name} cancels`, soon, aborting(client, long))
  })

  describe('timed out', { concurrency: 4 }, () => {
    const short = { timeout: 4000 }
    nothingRuns('TypeScript SDK 1 times out by itself', soon, calling(sdk1, long, undefined, fails))
    // Over HTTP it aborts its POST, but not once a garbage collection has taken the signals in between.
    nothingRuns('AI SDK times out', silently, calling(aisdk, {}, short, fails))
    for (const client of [sdk2, sdk2auto]) nothingRuns(`${client.name} times out`, soon, calling(client, long, short, fails))
    nothingRuns('Mastra times out', soon, calling(mastra, short, {}, fails))
  })

  // No message says so: until its own PENDING the desk takes such a client for one that waits.
  describe('out of time altogether, without a word', { concurrency: 6 }, () => {
    const total = { onprogress: () => {}, resetTimeoutOnProgress: true, maxTotalTimeout: 7000 }
    for (const client of [sdk1, sdk2, sdk2auto]) nothingRuns(`${client.name} forgets`, silently, calling(client, {}, total, fails))
  })

  describe('closed', { concurrency: 2 }, () => {
    for (const client of [sdk1, sdk2, sdk2auto, mastra, aisdk]) nothingRuns(`${client.name} closes`, soon, calling(client, long, undefined, closes))
  })

  describe('killed', { concurrency: 2 }, () => {
    const leaver = fileURLToPath(new URL('leaver.mjs', import.meta.url))
    const modules = { 'sdk1.mjs': sdk1, 'sdk2.mjs': sdk2, 'sdk2-auto.mjs': sdk2auto, 'mastra.mjs': mastra, 'aisdk.mjs': aisdk }
    for (const [module, client] of Object.entries(modules)) {
      nothingRuns(`${client.name} is killed`, soon, async (way, file) => {
        const p = start(process.execPath, [leaver, `./${module}`, JSON.stringify(way), JSON.stringify(file.call)])
        return { leave: p.kill, end: p.end }
      })
    }
    nothingRuns('Inspector is killed', soon, async (way, file) => {
      const opened = await inspector.open(way)
      opened.call(...file.call).catch(() => {})
      return { leave: opened.kill, end: opened.close }
    })
  })
})
