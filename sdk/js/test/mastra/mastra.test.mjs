// The real Mastra against a real desk: what runs, how often, and what the model is told.

import assert from 'node:assert/strict'
import { after, afterEach, before } from 'node:test'
import { Agent } from '@mastra/core/agent'
import { Mastra } from '@mastra/core/mastra'
import { InMemoryStore } from '@mastra/core/storage'
import { createTool } from '@mastra/core/tools'
import { Memory } from '@mastra/memory'
import { Desk } from '@sekisho/client'
import { drive, gate, gateToolsets, recover } from '@sekisho/client/mastra'
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

  test(`${name}: a denied call never runs, and the rule's note is told`, async () => {
    const r = start([[[id(), 'delete_file', { n: 4 }]]])
    await r.done
    assert.equal(r.seen.length, 0)
    assert.match(r.model.told(), /Nothing is deleted here\./)
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

test('Mastra: a held tool that is called outside of a run does nothing', async () => {
  const seen = []
  const held = gate(client, tools(seen))
  for (const context of [undefined, {}, { runId: 'x' }, { runId: 'x', agent: {} }, { agent: { toolCallId: 'x' } }]) {
    await assert.rejects(async () => held.read_file.execute({ n: 30 }, context), /runs in a run of an agent/)
  }
  assert.equal(seen.length, 0)
})

test('Mastra: an abort of the request while its tool waits for the desk cancels the call', async () => {
  const seen = []
  const left = new AbortController()
  const { agent } = agentOf([[[id(), 'pay', { n: 36 }]]], gate(client, tools(seen)))
  const output = await agent.stream('go')
  await output.consumeStream()
  // Approved by the program itself, not by the desk: the call waits inside execute.
  const approved = await agent.approveToolCall({ runId: output.runId, abortSignal: left.signal })
  const done = approved.consumeStream()
  const [call] = await desk.waiting()
  left.abort(new Error('left'))
  await done
  while ((await client.call(call.id)).status === 'pending') await pause(20)
  assert.equal((await client.call(call.id)).status, 'cancelled')
  assert.equal(seen.length, 0)
})

test('Mastra: a run that is approved three times at once, and once more, runs once', async () => {
  const seen = []
  const toolCallId = id()
  const { agent } = agentOf([[[toolCallId, 'pay', { n: 37 }]]], gate(client, tools(seen)))
  const { runId } = await agent.stream('go').then(async (stream) => (await stream.consumeStream(), { runId: stream.runId }))
  const approve = async () => (await agent.approveToolCall({ runId, toolCallId })).consumeStream()
  const three = Promise.allSettled([approve(), approve(), approve()])
  await desk.answerNext({ approved: true })
  await three
  await approve().catch(() => {})
  assert.deepEqual(seen, [['pay', { n: 37, note: 'none' }]])
})

test("Mastra: killed inside its tool: in doubt, not again; a person's run again runs it once", async () => {
  for (const again of [false, true]) {
    const seen = []
    const toolCallId = id()
    const { agent, model } = agentOf([[[toolCallId, 'pay', { n: 38 }]]], gate(client, tools(seen)))
    const output = await agent.stream('go')
    await output.consumeStream()
    const { runId } = output
    const call = await client.open({ runId, toolCallId, toolName: 'pay', input: { n: 38, note: 'none' } })
    await desk.answerNext({ approved: true })
    await client.claim(await client.call(call.id), 'the process that died', 1)
    while ((await client.call(call.id)).status !== 'in_doubt') await pause(100)
    if (again) await desk.operator('POST', `/v1/calls/${call.id}/resolve`, { action: 'retry' })
    await Promise.all([recover(client, agent), recover(client, agent)])
    assert.equal(seen.length, again ? 1 : 0)
    if (!again) assert.match(model.told(), /may have run; do not repeat/)
  }
})

test('Mastra: tools that are held already are refused', () => {
  const held = gate(client, tools([]))
  assert.throws(() => gate(client, held), /pay is held already/)
  assert.throws(() => gateToolsets(client, { bank: held }), /pay is held already/)
})

test('Mastra: a call of a sub-agent that is like one of the run before it is a call of its own', async () => {
  const seen = []
  const held = gate(client, tools(seen))
  const model = scripted(6, [[[id(), 'pay', { n: 39 }]]])
  const helper = new Agent({ id: 'helper', name: 'helper', description: 'helps', instructions: 'Pay.', model, tools: held })
  const steps = [[[id(), 'pay', { n: 39 }]], [[id(), 'agent-helper', { prompt: 'pay' }]]]
  const { agent } = agentOf(steps, held, { agents: { helper } })
  const done = drive(client, agent, 'go', { options: { maxSteps: 4 } })
  const [call] = await desk.waiting()
  const { rule } = await desk.operator('POST', '/v1/rules', { toolName: 'pay', effect: 'allow', priority: 50, condition: 'input.n == 39' })
  await desk.answer(call, { approved: true }).catch(() => {})
  await done.finally(() => desk.operator('DELETE', `/v1/rules/${rule.id}`))
  assert.equal(seen.length, 2)
})

test('Mastra: recover takes up the runs of one thread alone, and obeys its signal', async () => {
  const seen = []
  const storage = new InMemoryStore()
  const memory = new Memory({ storage })
  const held = gate(client, tools(seen))
  const suspended = async (thread, n) => {
    const { agent } = agentOf([], held, { storage, memory, model: callsOnce(id(), 'pay', { n }) })
    await (await agent.stream('go', { memory: { thread, resource: thread } })).consumeStream()
    return agent
  }
  await suspended('eve', 40)
  const agent = await suspended('ida', 41)
  const left = new AbortController()
  const stopped = recover(client, agent, { threadId: 'ida', resourceId: 'ida', signal: left.signal })
  stopped.catch(() => {})
  const asked = await desk.waiting()
  assert.deepEqual(asked.map((call) => call.input.n), [41])
  left.abort(new Error('left'))
  await assert.rejects(stopped, { message: 'left' })
  assert.equal((await client.call(asked[0].id)).status, 'cancelled')
  assert.deepEqual(await desk.calls('pending'), [])
  assert.equal(seen.length, 0)
})

/** Has an agent of a thread call `transfer` once, as its model says. */
function transfers(thread, seen, input) {
  const options = { autoResumeSuspendedTools: true, memory: { thread, resource: thread } }
  const storage = new InMemoryStore()
  const held = gate(client, { transfer: transfer(seen), read_file: tools([]).read_file })
  const { agent } = agentOf([], held, { storage, memory: new Memory({ storage }), model: callsOnce(id(), 'transfer', input) })
  return drive(client, agent, 'transfer', { options })
}

/** The person's answers to those that wait, by what they ask. */
async function answers(count, give) {
  for (let i = 0; i < count; i++) {
    const [call] = await desk.waiting()
    await desk.answer(call, give(call))
    while ((await desk.calls('pending')).some((one) => one.id === call.id)) await pause(20)
  }
}

const yes = (account, more = {}) => (call) => ({ approved: true, ...(call.resumeRequired && { resumeData: { account }, ...more }) })

test('Mastra: the same transfer again, in a later run of the thread, is another one', async () => {
  const seen = []
  for (const account of ['first', 'second']) {
    const done = transfers('again', seen, { amount: 50 })
    await answers(2, yes(account))
    await done
  }
  assert.deepEqual(seen.map(([, data]) => data.account), ['first', 'second'])
})

for (const edited of [false, true]) {
  test(`Mastra: what the model resumes again has its result, and does not run again${edited ? ', though a person edited it' : ''}`, async () => {
    const seen = []
    const thread = `resumed-${edited}`
    const done = transfers(thread, seen, { amount: 53 })
    await answers(2, yes('first', edited ? { input: { amount: 54 } } : {}))
    await done
    const again = transfers(thread, seen, { amount: 53, resumeData: { account: 'mine' } })
    await answers(1, yes('none'))
    await again
    assert.deepEqual(seen, [[{ amount: edited ? 54 : 53 }, { account: 'first' }]])
  })
}

test('Mastra: the model resumes the call of its own thread with its own input, and no other', async () => {
  const seen = []
  const waits = [['ada', 51], ['ada', 52], ['bob', 52]].map(([thread, amount]) => transfers(thread, seen, { amount }))
  for (let asked = 0; asked < 3; ) {
    for (const call of await desk.calls('pending')) {
      if (call.resumeRequired) continue
      await desk.answer(call, { approved: true })
      asked++
    }
  }
  while ((await desk.calls('pending')).filter((call) => call.resumeRequired).length < 3) await pause(20)
  const resumes = transfers('ada', seen, { amount: 52, resumeData: { account: 'mine' } })
  const own = (call) => !call.resumeRequired
  while (!(await desk.calls('pending')).some(own)) await pause(20)
  await desk.answer((await desk.calls('pending')).find(own), { approved: true })
  await pause(300)
  assert.equal((await desk.calls('pending')).length, 3)
  for (const call of await desk.calls('pending')) {
    await desk.answer(call, { approved: true, resumeData: { account: `${call.sessionId} ${call.input.amount}` } })
  }
  await Promise.all([...waits, resumes])
  assert.deepEqual(seen.map(([{ amount }, { account }]) => `${account} for ${amount}`).sort(), ['ada 51 for 51', 'ada 52 for 52', 'bob 52 for 52'])
})

test('Mastra: a call that a rule allows is one of its thread', async () => {
  const storage = new InMemoryStore()
  const model = callsOnce(id(), 'read_file', { n: 55 })
  const { agent } = agentOf([], gate(client, tools([])), { storage, memory: new Memory({ storage }), model })
  await drive(client, agent, 'read', { options: { memory: { thread: 'eda', resource: 'eda' } } })
  const [call] = (await desk.calls()).filter((one) => one.input.n === 55)
  assert.equal(call.sessionId, 'eda')
})
