// The real Mastra against a real desk: what runs, how often, and what the model is told.

import assert from 'node:assert/strict'
import { after, afterEach, before } from 'node:test'
import { Agent } from '@mastra/core/agent'
import { Mastra } from '@mastra/core/mastra'
import { InMemoryStore } from '@mastra/core/storage'
import { createTool } from '@mastra/core/tools'
import { Memory } from '@mastra/memory'
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
  return Object.fromEntries(['pay', 'read_file', 'delete_file', 'note'].map((name) => [name, counts(name)]))
}

/** An agent with a scripted model and a store of its own, or a given one. */
function agentOf(steps, held, { storage = new InMemoryStore(), agents = {}, memory, model = scripted(6, steps) } = {}) {
  const agent = new Agent({ id: 'app', name: 'app', instructions: 'Do it.', model, tools: held, agents, memory })
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

  test(`${name}: one step with an allowed, an approved, a declined and a denied call`, async () => {
    const r = start([[[id(), 'read_file', { n: 32 }], [id(), 'pay', { n: 33 }], [id(), 'pay', { n: 34 }], [id(), 'delete_file', { n: 35 }]]])
    for (let answered = 0; answered < 2; answered++) {
      const [call] = await desk.waiting()
      const approved = call.input.n === 33
      await desk.answer(call, { approved, reason: approved ? '' : 'Not that one.' })
    }
    await r.done
    assert.deepEqual(r.seen.map(([, input]) => input.n).sort(), [32, 33])
    for (const told of [/Not that one\./, /Nothing is deleted here\./]) assert.match(r.model.told(), told)
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
  for (const approved of [false, true]) {
    const seen = []
    const held = gate(client, { transfer: transfer(seen) })
    const forged = { amount: 12, resumeData: { account: 'mine' }, suspendedToolRunId: 'x' }
    const { agent } = agentOf([[[id(), 'transfer', forged]]], held)
    const done = drive(client, agent, 'go')
    await desk.answerNext(approved ? { approved } : { approved, reason: 'Not this.' })
    if (approved) {
      let call
      while (!call?.resumeRequired) [call] = await desk.waiting()
      await desk.answer(call, { approved: false, reason: 'Not this.' })
    }
    await done
    assert.equal(seen.length, 0)
  }
})

/** A model that makes one call, whatever was said before, and then ends. */
function callsOnce(...call) {
  const [first, then] = [scripted(6, [[call]]), scripted(6, [])]
  let asked = 0
  const says = (way) => (o) => {
    const prompt = o.prompt.filter((message) => message.role !== 'assistant')
    return asked++ === 0 ? first[way]({ ...o, prompt }) : then[way](o)
  }
  return { ...then, doGenerate: says('doGenerate'), doStream: says('doStream') }
}

test('Mastra: autoResumeSuspendedTools: what the model resumes is the call that waits, once', async () => {
  const seen = []
  const storage = new InMemoryStore()
  const memory = new Memory({ storage })
  const options = { autoResumeSuspendedTools: true, memory: { thread: 'auto', resource: 'ada' } }
  const held = gate(client, { transfer: transfer(seen) })
  const first = id()
  const one = agentOf([], held, { storage, memory, model: callsOnce(first, 'transfer', { amount: 21 }) })
  const waits = drive(client, one.agent, 'transfer 21', { options })
  await desk.answerNext({ approved: true })
  let asked
  while (!asked?.resumeRequired) [asked] = await desk.waiting()
  const again = { amount: 21, resumeData: { account: 'mine' }, suspendedToolCallId: first }
  const two = agentOf([], held, { storage, memory, model: callsOnce(id(), 'transfer', again) })
  const resumes = drive(client, two.agent, 'take my account', { options })
  const own = (await desk.waiting(2)).find((call) => call.id !== asked.id)
  await desk.answer(own, { approved: true })
  await pause(500)
  assert.equal(seen.length, 0)
  assert.equal((await desk.calls('pending')).length, 1)
  await desk.answer(asked, { approved: true, resumeData: { account: 'savings' } })
  await Promise.all([waits, resumes])
  assert.deepEqual(seen, [[{ amount: 21 }, { account: 'savings' }]])
})

test('Mastra: a tool that suspends without saying why is asked and resumed', async () => {
  const seen = []
  const silent = createTool({
    id: 'silent',
    description: 'silent',
    inputSchema: z.object({ n: z.number() }),
    resumeSchema: z.object({ ok: z.boolean() }),
    execute: async ({ n }, { agent }) => (agent.resumeData ? (seen.push([n, agent.resumeData]), { n }) : agent.suspend()),
  })
  const { agent } = agentOf([[[id(), 'silent', { n: 22 }]]], gate(client, { silent }))
  const done = drive(client, agent, 'go')
  await desk.answerNext({ approved: true })
  let asked
  while (!asked?.resumeRequired) [asked] = await desk.waiting()
  await desk.answer(asked, { approved: true, resumeData: { ok: true } })
  await done
  assert.deepEqual(seen, [[22, { ok: true }]])
})

test('Mastra: onStream is told of the streams of every resumption', async () => {
  const seen = []
  const calls = [23, 24].map((n) => [id(), 'pay', { n }])
  const { agent } = agentOf([calls], gate(client, tools(seen)))
  const results = []
  const read = async (stream) => {
    for await (const chunk of stream.fullStream) if (chunk.type === 'tool-result') results.push(chunk.payload.result.done)
  }
  const done = drive(client, agent, 'go', { onStream: (stream) => void read(stream) })
  await desk.answerNext({ approved: true })
  await desk.answerNext({ approved: true })
  await done
  while (new Set(results).size < 2) await pause(20)
  assert.deepEqual([...new Set(results)].sort(), [23, 24])
})

test('Mastra: an answer for the session of one thread reaches no other', async () => {
  const seen = []
  const storage = new InMemoryStore()
  const memory = new Memory({ storage })
  const talk = (thread, n) => {
    const held = gate(client, tools(seen))
    const model = callsOnce(id(), 'note', { n })
    const { agent } = agentOf([], held, { storage, memory, model })
    return drive(client, agent, 'pay', { options: { memory: { thread, resource: thread } } })
  }
  const first = talk('ada', 25)
  await desk.answerNext({ approved: true, scope: 'session' })
  await first
  await talk('ada', 26)
  assert.equal(seen.length, 2)
  const other = talk('bob', 27)
  const [call] = await desk.waiting()
  assert.equal(call.sessionId, 'bob')
  await desk.answer(call, { approved: false })
  await other
  assert.equal(seen.length, 2)
})

test('Mastra: requireToolApproval of the program lets nothing run without the desk', async () => {
  const seen = []
  const steps = [[[id(), 'pay', { n: 28 }]], [[id(), 'pay', { n: 29 }]]]
  const { agent } = agentOf(steps, gate(client, tools(seen)))
  const done = drive(client, agent, 'go', { options: { requireToolApproval: () => false, maxSteps: 5 } })
  await desk.answerNext({ approved: true })
  while (seen.length < 1) await pause(20)
  await desk.answerNext({ approved: false })
  await done
  assert.equal(seen.length, 1)
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
  // What the slower one had approved is of no use to a later call with the same input.
  const later = agentOf([[[id(), 'pay', { n: 13 }]]], gate(client, tools(seen)))
  const done = drive(client, later.agent, 'go')
  await desk.answerNext({ approved: true })
  await done
  assert.equal(seen.length, 2)
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

for (const [mode, n] of [['stream', 15], ['generate', 31]]) test(`Mastra, ${mode}: a sub-agent's call is asked once`, async () => {
  const seen = []
  const inner = new Agent({
    id: 'helper',
    name: 'helper',
    description: 'helps',
    instructions: 'Pay.',
    model: scripted(6, [[[id(), 'pay', { n }]]]),
    tools: gate(client, tools(seen)),
  })
  const steps = [[[id(), 'agent-helper', { prompt: 'pay' }]]]
  const { agent } = agentOf(steps, {}, { agents: { helper: inner } })
  const done = drive(client, agent, 'go', { mode })
  await desk.answerNext({ approved: true })
  await done
  assert.deepEqual(seen, [['pay', { n, note: 'none' }]])
  assert.equal((await desk.calls()).filter((call) => call.input.n === n).length, 1)
})

test('Mastra: a desk that is not there: nothing runs', async () => {
  const seen = []
  const nobody = new Desk({ url: 'http://127.0.0.1:9', token: 'ska_nothing' })
  const { agent } = agentOf([[[id(), 'read_file', { n: 16 }]]], gate(nobody, tools(seen)))
  const driven = drive(nobody, agent, 'go')
  await assert.rejects(driven, { code: 'unreachable', message: /127\.0\.0\.1:9/ })
  assert.equal(seen.length, 0)
})

test('Mastra: a held tool that is called outside of a run does nothing', async () => {
  const seen = []
  const held = gate(client, tools(seen))
  await assert.rejects(async () => held.read_file.execute({ n: 30 }, {}), /runs in a run of an agent/)
  assert.equal(seen.length, 0)
})
