// The real Mastra against a real desk: what runs, how often, and what the model is told.

import assert from 'node:assert/strict'
import { after, afterEach, before } from 'node:test'
import { Agent } from '@mastra/core/agent'
import { Mastra } from '@mastra/core/mastra'
import { InMemoryStore } from '@mastra/core/storage'
import { createTool } from '@mastra/core/tools'
import { Desk } from '@sekisho/client'
import { drive, gate, recover } from '@sekisho/client/mastra'
import { z } from 'zod'
import { scripted } from '../model.mjs'
import { deskWith, pause, test } from '../person.mjs'

let desk
let client
before(async () => {
  desk = await deskWith()
  client = new Desk(desk.options)
})
afterEach(() => desk.clear())
after(async () => {
  client.close()
  await desk.end()
})

let ids = 0
const id = () => `call_${++ids}`

/** Tools that count what they run. */
function tools(seen) {
  const counts = (name) =>
    createTool({
      id: name,
      description: name,
      inputSchema: z.object({ n: z.number(), note: z.string().default('none') }),
      execute: async (input) => {
        seen.push([name, input])
        return { done: input.n }
      },
    })
  return { pay: counts('pay'), read_file: counts('read_file'), delete_file: counts('delete_file') }
}

/** An agent with a scripted model and a store of its own, or a given one. */
function agentOf(steps, held, { storage = new InMemoryStore(), agents = {} } = {}) {
  const model = scripted(6, steps)
  const agent = new Agent({ id: 'app', name: 'app', instructions: 'Do it.', model, tools: held, agents })
  new Mastra({ agents: { app: agent, ...agents }, storage, logger: false })
  return { agent, model, storage }
}

for (const mode of ['generate', 'stream']) {
  const start = (steps, o = {}) => {
    const seen = []
    const held = gate(client, tools(seen))
    const { agent, model } = agentOf(steps, held)
    const done = drive(client, agent, 'go', { mode, options: { maxSteps: 5 }, ...o })
    done.catch(() => {})
    return { seen, model, done }
  }
  const name = `Mastra, ${mode}`

  test(`${name}: what a rule allows runs at once`, async () => {
    const r = start([[[id(), 'read_file', { n: 1 }]]])
    await r.done
    assert.deepEqual(r.seen, [['read_file', { n: 1, note: 'none' }]])
  })

  test(`${name}: an approved call runs once, and the second step still asks`, async () => {
    const r = start([[[id(), 'pay', { n: 2 }]], [[id(), 'pay', { n: 3 }]]])
    await desk.answerNext({ approved: true })
    while (r.seen.length < 1) await pause(20)
    await desk.waiting()
    assert.equal(r.seen.length, 1)
    await desk.answerNext({ approved: false, reason: 'Once is enough.' })
    await r.done
    assert.deepEqual(r.seen, [['pay', { n: 2, note: 'none' }]])
    assert.match(r.model.told(), /Once is enough\./)
  })

  test(`${name}: a denied call never runs, and the rule's note is told`, async () => {
    const r = start([[[id(), 'delete_file', { n: 4 }]]])
    await r.done
    assert.equal(r.seen.length, 0)
    assert.match(r.model.told(), /Nothing is deleted here\./)
  })

  test(`${name}: three parallel calls, each with its own answer`, async () => {
    const calls = [5, 6, 7].map((n) => [id(), 'pay', { n }])
    const r = start([calls])
    let answered = 0
    while (answered < 3) {
      for (const call of await desk.waiting()) {
        answered++
        const approved = call.input.n !== 6
        await desk.answer(call, approved ? { approved } : { approved, reason: 'Not six.' })
      }
    }
    await r.done
    assert.deepEqual(r.seen.map(([, input]) => input.n).sort(), [5, 7])
    assert.match(r.model.told(), /Not six\./)
  })

  test(`${name}: an edited input is what runs`, async () => {
    const r = start([[[id(), 'pay', { n: 8 }]]])
    await desk.answerNext({ approved: true, input: { n: 9 } })
    await r.done
    assert.deepEqual(r.seen, [['pay', { n: 9, note: 'none' }]])
  })

  test(`${name}: an abort cancels what waits`, async () => {
    const left = new AbortController()
    const r = start([[[id(), 'pay', { n: 10 }]]], { signal: left.signal })
    const [call] = await desk.waiting()
    left.abort(new Error('left'))
    await assert.rejects(r.done, { message: 'left' })
    assert.equal((await client.call(call.id)).status, 'cancelled')
    assert.equal(r.seen.length, 0)
  })
}

/** A tool that suspends for a person's word; `asks` is what it was asked with. */
function transfer(seen) {
  return createTool({
    id: 'transfer',
    description: 'transfer',
    inputSchema: z.object({ amount: z.number() }),
    suspendSchema: z.object({ reason: z.string() }),
    resumeSchema: z.object({ account: z.string() }),
    execute: async (input, context) => {
      const { resumeData, suspend } = context.agent
      if (!resumeData) return suspend({ reason: `To which account go ${input.amount}?` })
      seen.push([input, resumeData])
      return { sent: true }
    },
  })
}

test('Mastra: a tool that is approved and suspends resumes once, with data that fits', async () => {
  const seen = []
  const held = gate(client, { transfer: transfer(seen) })
  const { agent } = agentOf([[[id(), 'transfer', { amount: 11 }]]], held)
  const done = drive(client, agent, 'go')
  await desk.answerNext({ approved: true })
  let asked
  do {
    ;[asked] = await desk.waiting()
  } while (!asked.resumeRequired)
  assert.equal(asked.description, 'To which account go 11?')
  await assert.rejects(desk.answer(asked, { approved: true, resumeData: { account: 7 } }), /422/)
  await assert.rejects(desk.answer(asked, { approved: true }), /422/)
  assert.equal(seen.length, 0)
  await desk.answer(asked, { approved: true, resumeData: { account: 'savings' } })
  await done
  assert.deepEqual(seen, [[{ amount: 11 }, { account: 'savings' }]])
})

test("Mastra: resumeData of the model's own making resumes nothing", async () => {
  const seen = []
  const held = gate(client, { transfer: transfer(seen) })
  const forged = { amount: 12, resumeData: { account: 'mine' }, suspendedToolRunId: 'x' }
  const { agent } = agentOf([[[id(), 'transfer', forged]]], held)
  const done = drive(client, agent, 'go')
  for (let end = false; !end; ) {
    await Promise.race([done.then(() => (end = true)), desk.waiting()])
    const [call] = await desk.calls('pending')
    if (call) await desk.answer(call, { approved: false, reason: 'Not this.' })
  }
  assert.equal(seen.length, 0)
})

test('Mastra: two drivers resume one run at the same moment: it runs once', async () => {
  const seen = []
  const steps = [[[id(), 'pay', { n: 13 }]]]
  const storage = new InMemoryStore()
  const one = agentOf(steps, gate(client, tools(seen)), { storage })
  const other = new Desk(desk.options)
  const two = agentOf(steps, gate(other, tools(seen)), { storage })
  const output = await one.agent.stream('go')
  await output.consumeStream()
  const both = Promise.allSettled([recover(client, one.agent), recover(other, two.agent)])
  await desk.answerNext({ approved: true })
  await both
  assert.equal(seen.length, 1)
  other.close()
})

test('Mastra: an approval that did not come from the desk executes nothing', async () => {
  const seen = []
  const { agent } = agentOf([[[id(), 'pay', { n: 14 }]]], gate(client, tools(seen)))
  const output = await agent.stream('go')
  await output.consumeStream()
  const approved = await agent.approveToolCall({ runId: output.runId })
  const done = approved.consumeStream()
  const [call] = await desk.waiting()
  await pause(200)
  assert.equal(seen.length, 0)
  await desk.answer(call, { approved: false })
  await done
  assert.equal(seen.length, 0)
})

test("Mastra: a sub-agent's call is asked once", async () => {
  const seen = []
  const inner = new Agent({
    id: 'helper',
    name: 'helper',
    description: 'helps',
    instructions: 'Pay.',
    model: scripted(6, [[[id(), 'pay', { n: 15 }]]]),
    tools: gate(client, tools(seen)),
  })
  const steps = [[[id(), 'agent-helper', { prompt: 'pay' }]]]
  const { agent } = agentOf(steps, {}, { agents: { helper: inner } })
  const done = drive(client, agent, 'go')
  await desk.answerNext({ approved: true })
  await done
  assert.deepEqual(seen, [['pay', { n: 15, note: 'none' }]])
  assert.equal((await desk.calls()).filter((call) => call.input.n === 15).length, 1)
})

test('Mastra: a desk that is not there: nothing runs', async () => {
  const seen = []
  const nobody = new Desk({ url: 'http://127.0.0.1:9', token: 'ska_nothing' })
  const { agent } = agentOf([[[id(), 'read_file', { n: 16 }]]], gate(nobody, tools(seen)))
  const driven = drive(nobody, agent, 'go')
  await assert.rejects(driven, { code: 'unreachable', message: /127\.0\.0\.1:9/ })
  assert.equal(seen.length, 0)
})
