// Each client behind "sekisho mcp", with a model that calls a tool once and never again: a call is held for as long
// as the issue of patience says, and one outlives its desk. SEKISHO_HOLD is for how many seconds.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { bareStdio, openDesk, pause } from '../clients/desk.mjs'
import { Place, configure, launch } from './agents.mjs'
import { openModel } from './model.mjs'

const holds = Number(process.env.SEKISHO_HOLD ?? 280) * 1000
const names = ['claude', 'codex', 'gemini', 'opencode', 'copilot']
const apart = 8_000 // between the starts of clients, which are heavy

/** A client whose model calls the tool of a real server behind a desk, and the call, which waits. */
async function calling(name) {
  const place = new Place()
  const model = await openModel([])
  model.script = [[{ tool: /touch$/, input: { path: `${place.work}/nonce` } }]]
  const desk = await openDesk([{ effect: 'ask', priority: 1 }], place.env)
  await desk.serve({ files: bareStdio([join(import.meta.dirname, 'server.mjs')]) })
  const { stdio } = await desk.ways('agent', 'files')
  configure(name, place, model, {
    servers: { files: { command: stdio.command, args: stdio.args } },
    settings: { claude: { permissions: { allow: ['mcp__files'] } } }[name],
  })
  const client = launch(name, place, model, { within: holds + 180_000 })
  const one = {
    desk,
    model,
    client,
    file: `${place.work}/nonce`,
    waiting: () => desk.call(`${place.work}/nonce`, (c) => c.status === 'pending' && !c.callerGone, 90_000),
    /** How often the server ran the call. */
    ran: () => (existsSync(one.file) ? readFileSync(one.file, 'utf8').length : 0),
    told: () => model.results.map(({ text }) => text).join('\n'),
    /** Says yes, and looks at what came of it. */
    async goesOn(call) {
      assert.equal(one.ran(), 0)
      assert.equal(one.told(), '')
      await desk.approve(call)
      const { code, stderr } = await client.ended
      assert.equal(code, 0, stderr)
      assert.equal(one.ran(), 1)
      assert.match(one.told(), /made .*nonce/)
      assert.doesNotMatch(one.told(), /PENDING|not known/)
      const { calls } = await desk.operator('GET', '/v1/calls')
      assert.deepEqual(calls.map(({ status, decision }) => [status, decision.by]), [['completed', 'person']])
    },
    async end() {
      client.kill()
      await desk.end()
      await model.end()
      place.end()
    },
  }
  return one
}

describe('behind sekisho mcp', { concurrency: true }, () => {
  names.forEach((name, at) => {
    const check = (title, after, body) =>
      test(`${name} ${title}`, { timeout: holds + 400_000 }, async () => {
        await pause(after * apart)
        const one = await calling(name)
        try {
          const call = await one.waiting()
          assert.ok(call, `the call does not wait: ${one.told()}`)
          await body(one, call)
        } finally {
          await one.end()
        }
      })

    check(`holds a call for ${holds / 1000} s, and its model sees no PENDING`, at, async (one) => {
      await Promise.race([pause(holds), one.client.ended.then(({ stdout, stderr }) => assert.fail(`it ended: ${stdout} ${stderr}`))])
      const call = await one.waiting()
      assert.ok(call, `the call does not wait any more: ${one.told()}`)
      await one.goesOn(call)
    })

    check('has its call run once, when its desk is killed under it and started again', names.length + at, async (one, before) => {
      one.desk.kill()
      await pause(5_000)
      await one.desk.start()
      const call = await one.waiting()
      assert.equal(call?.id, before.id)
      await one.goesOn(call)
    })
  })
})
