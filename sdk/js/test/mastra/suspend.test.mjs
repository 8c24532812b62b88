// Tools of Mastra that suspend for a person's data: in sub-agents, after an edit, more than once;
// and what a request's own requireToolApproval does.

import assert from 'node:assert/strict'
import { after, afterEach, before } from 'node:test'
import { Agent } from '@mastra/core/agent'
import { Mastra } from '@mastra/core/mastra'
import { RequestContext } from '@mastra/core/request-context'
import { InMemoryStore } from '@mastra/core/storage'
import { createTool } from '@mastra/core/tools'
import { Desk } from '@sekisho/client'
import { drive, gate, gateToolsets, recover } from '@sekisho/client/mastra'
import { z } from 'zod'
import { between } from '../between.mjs'
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

/** A tool that suspends until it has an account, and notes with what it went on. */
const transfer = (seen, name = 'transfer') =>
  createTool({
    id: name,
    description: name,
    inputSchema: z.object({ amount: z.number() }),
    suspendSchema: z.strictObject({ reason: z.string() }),
    resumeSchema: z.object({ account: z.string() }),
    execute: async ({ amount }, { agent }) => {
      const { resumeData, suspend, suspendPayload } = agent
      if (!resumeData?.account) return suspend({ reason: `To which account go ${amount}?` })
      seen.push([amount, resumeData.account, suspendPayload])
      return { sent: amount }
    },
  })

/** An agent with its tools and sub-agents, in a store. */
function agentOf(steps, tools, { storage = new InMemoryStore(), agents = {} } = {}) {
  const model = scripted(6, steps)
  const agent = new Agent({ id: 'app', name: 'app', instructions: 'Do it.', model, tools, agents })
  new Mastra({ agents: { app: agent, ...agents }, storage, logger: false })
  return { agent, model, storage }
}

/** An agent whose sub-agent makes the calls of a step. */
function supervised(calls, tools, outer = id()) {
  const name = 'helper'
  const model = scripted(6, [calls])
  const helper = new Agent({ id: name, name, description: 'helps', instructions: 'Do it.', model, tools })
  const made = agentOf([[[outer, 'agent-helper', { prompt: 'go' }]]], {}, { agents: { helper } })
  return { ...made, inner: model, outer }
}

/** Waits for the next question for data. */
async function dataAsked() {
  for (;;) {
    const asked = (await desk.waiting()).find((call) => call.resumeRequired)
    if (asked) return asked
  }
}

const give = (asked, account) => desk.answer(asked, { approved: true, resumeData: { account } })
const reason = (amount) => ({ reason: `To which account go ${amount}?` })

for (const mode of ['generate', 'stream']) {
  test(`Mastra, ${mode}: a sub-agent's tool that is approved and suspends resumes once`, async () => {
    const seen = []
    const inner = id()
    const { agent, outer } = supervised([[inner, 'transfer', { amount: 1 }]], gate(client, { transfer: transfer(seen) }))
    const done = drive(client, agent, 'go', { mode })
    const [call] = await desk.waiting()
    assert.deepEqual([call.toolName, call.toolCallId, call.input], ['transfer', `${outer}/${inner}`, { amount: 1 }])
    await desk.answer(call, { approved: true })
    const asked = await dataAsked()
    assert.deepEqual([asked.runId, asked.sessionId, asked.toolName], [call.runId, call.sessionId, 'transfer'])
    assert.ok(asked.toolCallId.startsWith(`${outer}/${inner}/resume-`))
    assert.equal(asked.description, reason(1).reason)
    await assert.rejects(desk.answer(asked, { approved: true, resumeData: { account: 7 } }), /422/)
    assert.equal(seen.length, 0)
    await give(asked, 'savings')
    await done
    assert.deepEqual(seen, [[1, 'savings', reason(1)]])
  })

  test(`Mastra, ${mode}: a sub-agent's tool that a rule allows suspends too; a no is told to its model`, async () => {
    for (const approved of [true, false]) {
      const seen = []
      const held = gate(client, { read_account: transfer(seen, 'read_account') })
      const { agent, inner } = supervised([[id(), 'read_account', { amount: 2 }]], held)
      const done = drive(client, agent, 'go', { mode })
      const asked = await dataAsked()
      if (approved) await give(asked, 'savings')
      else await desk.answer(asked, { approved, reason: 'No account for you.' })
      await done
      assert.deepEqual(seen, approved ? [[2, 'savings', reason(2)]] : [])
      if (!approved) assert.match(inner.told(), /No account for you\./)
    }
  })
}

test("Mastra: two of a sub-agent's tools suspend at once, and each gets its own data", async () => {
  const seen = []
  const held = gate(client, { read_account: transfer(seen, 'read_account') })
  const { agent } = supervised([3, 4].map((amount) => [id(), 'read_account', { amount }]), held)
  const done = drive(client, agent, 'go')
  for (let answered = 0; answered < 2; answered++) {
    const asked = await dataAsked()
    await give(asked, `account ${asked.input.amount}`)
  }
  await done
  assert.deepEqual(seen.map(([amount, account]) => [amount, account]).sort(), [[3, 'account 3'], [4, 'account 4']])
})

test('Mastra: the same question of two runs at once: each gets the data of its own', async () => {
  const seen = []
  const runs = ['ada', 'bob'].map((name) => {
    const held = gate(client, { read_account: transfer(seen, 'read_account') })
    const { agent } = supervised([['same', 'read_account', { amount: 5 }]], held, 'same-outer')
    return { name, done: drive(client, agent, 'go') }
  })
  const asked = await desk.waiting(2)
  await Promise.all(asked.map((call, i) => give(call, runs[i].name)))
  await Promise.all(runs.map((run) => run.done))
  assert.deepEqual(seen.map(([, account]) => account).sort(), ['ada', 'bob'])
})

test("Mastra: a sub-agent's suspension is taken up by another process, once", async () => {
  const seen = []
  const storage = new InMemoryStore()
  const make = (by, fresh) => {
    const tools = gate(by, { read_account: transfer(seen, 'read_account') })
    const model = scripted(6, [[['inner', 'read_account', { amount: 6 }]]])
    const helper = new Agent({ id: 'helper', name: 'helper', description: 'h', instructions: 'Do it.', model, tools })
    const steps = fresh ? [[['outer', 'agent-helper', { prompt: 'go' }]]] : []
    return agentOf(steps, {}, { storage, agents: { helper } }).agent
  }
  await (await make(client, true).stream('go')).consumeStream()
  const others = [new Desk(desk.options), new Desk(desk.options)]
  const both = Promise.allSettled(others.map((by) => recover(by, make(by))))
  await give(await dataAsked(), 'savings')
  await both
  assert.deepEqual(seen.map(([amount, account]) => [amount, account]), [[6, 'savings']])
  for (const by of others) by.close()
})

test('Mastra: a call that a person edited suspends, and resumes with the edited input', async () => {
  const seen = []
  const { agent } = agentOf([[[id(), 'transfer', { amount: 7 }]]], gate(client, { transfer: transfer(seen) }))
  const done = drive(client, agent, 'go')
  await desk.answerNext({ approved: true, input: { amount: 70 } })
  const asked = await dataAsked()
  assert.deepEqual(asked.input, { amount: 70 })
  await give(asked, 'savings')
  await done
  assert.deepEqual(seen, [[70, 'savings', reason(70)]])
})

test("Mastra: an edited input that the tool's schema refuses does not run", async () => {
  const ran = []
  const inputSchema = z.object({ n: z.number().max(9) })
  const pay = createTool({ id: 'pay', description: 'p', inputSchema, execute: async ({ n }) => (ran.push(n), { n }) })
  const { agent, model } = agentOf([[[id(), 'pay', { n: 1 }]]], gate(client, { pay }))
  const done = drive(client, agent, 'go')
  await desk.answerNext({ approved: true, input: { n: 10 } })
  await done
  assert.deepEqual(ran, [])
  assert.match(model.told(), /does not fit the tool's schema/)
})

test('Mastra: an agent of no Mastra is refused, since its suspended runs are kept nowhere', async () => {
  const tools = gate(client, { transfer: transfer([]) })
  const agent = new Agent({ id: 'app', name: 'app', instructions: 'Do it.', model: scripted(6, []), tools })
  await assert.rejects(drive(client, agent, 'go'), /belongs to no Mastra/)
  await assert.rejects(recover(client, agent), /belongs to no Mastra/)
})

test('Mastra: a rule that comes to allow, or to deny, a suspended call decides it', async () => {
  for (const [effect, want] of [['allow', [1]], ['deny', []]]) {
    const ran = []
    const toolName = `late_${effect}`
    const late = createTool({ id: toolName, description: 'l', inputSchema: z.object({ n: z.number() }), execute: async ({ n }) => (ran.push(n), { n }) })
    const { agent, model } = agentOf([[[id(), toolName, { n: 1 }]]], gate(client, { [toolName]: late }))
    await (await agent.stream('go')).consumeStream()
    const { rule } = await desk.operator('POST', '/v1/rules', { toolName, effect, priority: 50, note: 'By the rule.' })
    await recover(client, agent)
    await desk.operator('DELETE', `/v1/rules/${rule.id}`)
    assert.deepEqual(ran, want)
    if (effect === 'deny') assert.match(model.told(), /By the rule\./)
  }
})

test('Mastra: a tool that asks the same again is asked again', async () => {
  const seen = []
  const { agent } = agentOf([[[id(), 'read_account', { amount: 8 }]]], gate(client, { read_account: transfer(seen, 'read_account') }))
  const done = drive(client, agent, 'go')
  const first = await dataAsked()
  await give(first, '')
  let again
  while (!again || again.id === first.id) again = await dataAsked()
  assert.equal(seen.length, 0)
  await give(again, 'savings')
  await done
  assert.deepEqual(seen, [[8, 'savings', reason(8)]])
})

for (const payload of ['Which account?', null, ['a', 'b'], 7, { question: 'Which?' }, { sekisho: { runId: 'x', toolCallId: 'x/resume-x' } }]) {
  test(`Mastra: a tool suspends with ${JSON.stringify(payload)}, and sees that again`, async () => {
    const seen = []
    const odd = createTool({
      id: 'read_odd',
      description: 'odd',
      inputSchema: z.object({ n: z.number() }),
      resumeSchema: z.object({ ok: z.boolean() }),
      execute: async ({ n }, { agent }) => {
        if (!agent.resumeData) return agent.suspend(payload)
        seen.push(agent.suspendPayload)
        return { n }
      },
    })
    const { agent } = agentOf([[[id(), 'read_odd', { n: 9 }]]], gate(client, { read_odd: odd }))
    const done = drive(client, agent, 'go')
    const asked = await dataAsked()
    assert.equal(asked.description, payload?.question ?? JSON.stringify(payload))
    await desk.answer(asked, { approved: true, resumeData: { ok: true } })
    await done
    assert.deepEqual(seen, [payload])
  })
}

test('Mastra: what a tool that is not held suspends with names no call of another', async () => {
  const seen = []
  const own = agentOf([[['secret', 'read_account', { amount: 10 }]]], gate(client, { read_account: transfer(seen, 'read_account') }))
  const done = drive(client, own.agent, 'go')
  const asked = await dataAsked()
  const { runId, sessionId, toolCallId } = asked
  const got = []
  const free = createTool({
    id: 'free',
    description: 'free',
    inputSchema: z.object({}),
    execute: async (_, { agent }) => (agent.resumeData ? got.push(agent.resumeData) : agent.suspend({ sekisho: { runId, sessionId, toolCallId } })),
  })
  // Also where the model gave its call the same id.
  for (const called of [id(), 'secret']) {
    const { agent } = agentOf([[[called, 'free', {}]]], { free })
    await assert.rejects(drive(client, agent, 'go'), /free suspended without having asked the desk/)
    for (const mode of ['generate', 'stream']) {
      const { agent } = supervised([[called, 'free', {}]], { free }, called)
      await assert.rejects(drive(client, agent, 'go', { mode }), /agent-helper suspended without having asked the desk/)
    }
  }
  await give(asked, 'savings')
  await done
  assert.deepEqual([seen.length, got], [1, []])
})

test('Mastra: an identity that the model wrote like that of a resumption is a call like any other', async () => {
  const seen = []
  const { agent } = agentOf([[['a/resume-b', 'transfer', { amount: 11 }]]], gate(client, { transfer: transfer(seen) }))
  const done = drive(client, agent, 'go')
  await desk.answerNext({ approved: true })
  assert.equal(seen.length, 0)
  await give(await dataAsked(), 'savings')
  await done
  assert.deepEqual(seen, [[11, 'savings', reason(11)]])
})

test("Mastra: a request's requireToolApproval still stops the tools that are not held; those that are ask the desk", async () => {
  const ran = []
  const tool = (name, more = {}) =>
    createTool({
      id: name,
      description: name,
      inputSchema: z.object({ n: z.number() }),
      execute: async ({ n }) => (ran.push(`${name} ${n}`), { done: n }),
      ...more,
    })
  const options = { requireToolApproval: true, maxSteps: 4 }
  const plain = agentOf([[[id(), 'plain', { n: 1 }]]], { ...gate(client, { read_file: tool('read_file') }), plain: tool('plain') })
  await assert.rejects(drive(client, plain.agent, 'go', { options }), /plain is not held/)
  assert.deepEqual(ran, [])
  // A function on a tool takes the place of the request's setting in Mastra itself.
  const itself = agentOf([[[id(), 'own', { n: 2 }]]], { own: tool('own', { requireApproval: () => false }) })
  await (await itself.agent.stream('go', options)).consumeStream()
  const held = agentOf([[[id(), 'read_file', { n: 3 }]], [[id(), 'pay', { n: 4 }]]], gate(client, { read_file: tool('read_file'), pay: tool('pay') }))
  const done = drive(client, held.agent, 'go', { options })
  await desk.answerNext({ approved: false })
  await done
  assert.deepEqual(ran, ['own 2', 'read_file 3'])
})

test("Mastra: data of the model's own making lets no input by its tool's schema", async (t) => {
  const ran = []
  const inputSchema = z.object({ force: z.boolean().default(true) })
  const wipe = createTool({ id: 'wipe', description: 'w', inputSchema, execute: async (input) => (ran.push(input), {}) })
  const body = { toolName: 'wipe', effect: 'allow', priority: 50, condition: '!has(input.force)' }
  const { rule } = await desk.operator('POST', '/v1/rules', body)
  t.after(() => desk.operator('DELETE', `/v1/rules/${rule.id}`))
  const { agent } = agentOf([[[id(), 'wipe', { resumeData: { a: 1 } }]]], gate(client, { wipe }))
  const output = await agent.stream('go')
  await output.consumeStream()
  const done = (await agent.approveToolCall({ runId: output.runId })).consumeStream()
  const ended = Symbol('ended')
  const call = await Promise.race([desk.waiting().then(([one]) => one), done.then(() => ended)])
  assert.deepEqual(ran, [])
  assert.deepEqual(call.input, { force: true })
  await desk.answer(call, { approved: false, reason: 'No force.' })
  await done
  assert.deepEqual(ran, [])
})

test('Mastra: a tool that is not held is not asked for in the name of a held one', async () => {
  const asking = new Desk(desk.options)
  const ran = []
  const own = (more) => createTool({ id: 'pay', description: 'p', inputSchema: z.object({ n: z.number() }), execute: async ({ n }) => (ran.push(n), {}), ...more })
  const { pay } = gate(asking, { pay: own() })
  const plain = own({ requireApproval: true })
  const helper = new Agent({ id: 'helper', name: 'helper', description: 'h', instructions: 'Do it.', model: scripted(6, []), tools: { pay } })
  for (const agents of [{}, { helper }]) {
    const { agent } = agentOf([[[id(), 'pay', { n: 1 }]]], { pay: plain }, { agents })
    await assert.rejects(drive(asking, agent, 'go'), /pay is not held by the desk/)
  }
  const inner = new Agent({ id: 'helper', name: 'helper', description: 'h', instructions: 'Do it.', model: scripted(6, []), tools: { pay: plain } })
  const { agent } = agentOf([[[id(), 'pay', { n: 1 }]]], { pay }, { agents: { inner } })
  await assert.rejects(drive(asking, agent, 'go'), /pay is not held by the desk/)
  assert.deepEqual([ran, await desk.calls('pending')], [[], []])
  asking.close()
})

test("Mastra: generate gives the whole output, and stream one that is read", async () => {
  for (const [mode, kind] of [['generate', 'string'], ['stream', 'object']]) {
    const { agent } = agentOf(['Hello.'], gate(client, { transfer: transfer([]) }))
    const { text } = await drive(client, agent, 'go', { mode })
    assert.equal(typeof text, kind)
    assert.equal(await text, 'Hello.')
  }
})

for (const [mode, end, resume] of [['generate', 'Generate', 'resumeGenerate'], ['stream', '', 'resumeStream']]) {
  test(`Mastra, ${mode}: every resumption names its run and its call, whatever the program's options say`, async () => {
    const seen = []
    const pay = createTool({ id: 'pay', description: 'p', inputSchema: z.object({ n: z.number() }), execute: async ({ n }) => (seen.push([n]), {}) })
    const held = gate(client, { pay, read_account: transfer(seen, 'read_account') })
    const [yes, no, data] = [id(), id(), id()]
    const { agent } = agentOf([[[yes, 'pay', { n: 1 }], [no, 'pay', { n: 2 }], [data, 'read_account', { amount: 12 }]]], held)
    const said = new Map() // by call: Mastra's own methods call one another
    for (const name of [`approveToolCall${end}`, `declineToolCall${end}`, resume]) {
      const itself = agent[name].bind(agent)
      agent[name] = (...given) => {
        const { runId, toolCallId } = given.at(-1)
        if (!said.has(toolCallId)) said.set(toolCallId, [name, runId])
        return itself(...given)
      }
    }
    const runId = id()
    const done = drive(client, agent, 'go', { mode, options: { runId, toolCallId: 'another', maxSteps: 3 } })
    let answered = 0
    while (answered < 3) {
      for (const call of await desk.waiting()) {
        if (call.resumeRequired) await give(call, 'savings')
        else await desk.answer(call, { approved: call.input.n === 1 })
        answered++
      }
    }
    await done
    const want = { [yes]: [`approveToolCall${end}`, runId], [no]: [`declineToolCall${end}`, runId], [data]: [resume, runId] }
    assert.deepEqual(Object.fromEntries(said), want)
    assert.deepEqual(seen.toSorted(), [[1], [12, 'savings', reason(12)]])
  })
}

test('Mastra: where another driver went on, the output so far is given; another error is thrown', async () => {
  const held = gate(client, { read_account: transfer([], 'read_account') })
  for (const why of ['AGENT_RESUME_TOOL_CALL_NOT_SUSPENDED', 'ANOTHER']) {
    const toolCallId = id()
    const call = { toolCallId, toolName: 'read_account', args: { amount: 13 }, requiresApproval: true }
    const runs = [[{ runId: 'elsewhere', toolCalls: [call] }], []]
    const storage = new InMemoryStore()
    const output = { runId: 'elsewhere' }
    const agent = {
      getMastraInstance: () => ({ getStorage: () => storage }),
      stream: async () => output,
      listSuspendedRuns: async () => ({ runs: runs.shift() }),
      listTools: () => held,
      approveToolCall: async () => {
        throw Object.assign(new Error(why), { id: why })
      },
    }
    const done = drive(client, agent, 'go')
    if (why === 'ANOTHER') await assert.rejects(done, { id: why })
    else assert.equal(await done, output)
  }
})

test("Mastra: what a sub-agent's tool suspends with is not taken for a call, though it looks like one", async () => {
  for (const mode of ['generate', 'stream']) {
    const seen = []
    const inputSchema = z.object({ n: z.number() })
    const odd = createTool({
      id: 'read_odd',
      description: 'odd',
      inputSchema,
      resumeSchema: z.object({ ok: z.boolean() }),
      execute: async ({ n }, { agent }) => {
        if (!agent.resumeData) return agent.suspend({ toolName: 'read_odd', args: { n: 99 } })
        return void seen.push(n)
      },
    })
    const { agent } = supervised([[id(), 'read_odd', { n: 13 }]], gate(client, { read_odd: odd }))
    const done = drive(client, agent, 'go', { mode })
    const asked = await dataAsked()
    assert.deepEqual(asked.input, { n: 13 })
    await desk.answer(asked, { approved: true, resumeData: { ok: true } })
    await done
    assert.deepEqual(seen, [13])
    assert.deepEqual((await desk.calls()).filter((call) => call.input.n === 99), [])
  }
})

test('Mastra: what a tool that is not held suspends with names no other call of its run', async () => {
  const got = []
  const free = createTool({
    id: 'free',
    description: 'free',
    inputSchema: z.object({}),
    execute: async (_, { agent }) => {
      if (agent.resumeData) return void got.push(agent.resumeData)
      let asked
      while (!asked) asked = (await desk.calls()).find((call) => call.resumeRequired && call.input.amount === 14)
      const { runId, sessionId, toolCallId } = asked
      return agent.suspend({ sekisho: { runId, sessionId, toolCallId } })
    },
  })
  const held = gate(client, { read_account: transfer([], 'read_account') })
  const { agent } = agentOf([[[id(), 'read_account', { amount: 14 }], [id(), 'free', {}]]], { ...held, free })
  const done = drive(client, agent, 'go')
  done.catch(() => {})
  await give(await dataAsked(), 'savings')
  await assert.rejects(done, /free suspended without having asked the desk/)
  assert.deepEqual(got, [])
})

test('Mastra: of several calls of a run, the data of the one that suspended is waited for; an abort cancels that', async () => {
  for (const aborted of [false, true]) {
    const seen = []
    const { agent } = agentOf([[[id(), 'read_account', { amount: 15 }]]], gate(client, { read_account: transfer(seen, 'read_account') }))
    const { runId } = await agent.stream('go').then(async (stream) => (await stream.consumeStream(), { runId: stream.runId }))
    const newer = { runId, toolCallId: 'newer', toolName: 'read_account', input: { amount: 99 } }
    await client.open(newer)
    const left = new AbortController()
    const done = recover(client, agent, { signal: left.signal })
    done.catch(() => {})
    const asked = await dataAsked()
    if (aborted) {
      left.abort(new Error('left'))
      await assert.rejects(done, { message: 'left' })
      assert.equal((await client.call(asked.id)).status, 'cancelled')
      assert.deepEqual(seen, [])
    } else {
      await give(asked, 'savings')
      await done
      assert.deepEqual(seen, [[15, 'savings', reason(15)]])
    }
  }
})

test("Mastra: of tools of one name, an agent's own and a server's, the one that Mastra runs is asked for", async () => {
  const ran = []
  const pay = (of) => createTool({ id: 'pay', description: of, inputSchema: z.object({ n: z.number() }), execute: async ({ n }) => (ran.push([of, n]), {}) })
  const { agent } = agentOf([[[id(), 'pay', { n: 1 }]]], gate(client, { pay: pay('own') }))
  const toolsets = gateToolsets(client, { bank: { pay: pay('bank') } }, { cwd: '/bank' })
  const done = drive(client, agent, 'go', { options: { toolsets } })
  const [call] = await desk.waiting()
  assert.deepEqual([call.serverId, call.cwd], ['bank', '/bank'])
  await desk.answer(call, { approved: true })
  await done
  assert.deepEqual(ran, [['bank', 1]])
})

for (const mode of ['generate', 'stream']) {
  for (const [shape, steps] of Object.entries({
    'two steps': [[['one', 'pay', { n: 1 }]], [['two', 'pay', { n: 2 }]]],
    'two steps that are alike': [[['one', 'pay', { n: 1 }]], [['two', 'pay', { n: 1 }]]],
    'one step of two': [[['one', 'pay', { n: 1 }], ['two', 'pay', { n: 2 }]]],
  })) {
    for (const levels of [1, 2]) {
      test(`Mastra, ${mode}: a sub-agent's calls, in ${shape}, ${levels} below: each is asked, and runs once`, async () => {
        const ran = []
        const pay = createTool({ id: 'pay', description: 'p', inputSchema: z.object({ n: z.number() }), execute: async ({ n }) => (ran.push(n), {}) })
        const name = 'helper'
        const more = { name, description: 'helps', instructions: 'Do it.' }
        let helper = new Agent({ ...more, id: 'inner', model: scripted(6, steps), tools: gate(client, { pay }) })
        if (levels === 2) {
          const model = scripted(6, [[['middle', 'agent-helper', { prompt: 'go' }]]])
          helper = new Agent({ ...more, id: 'middle', model, agents: { helper } })
        }
        const { agent } = agentOf([[['outer', 'agent-helper', { prompt: 'go' }]]], {}, { agents: { helper } })
        const done = drive(client, agent, 'go', { mode })
        done.catch(() => {})
        const way = levels === 2 ? 'outer/middle' : 'outer'
        for (const [toolCallId, , input] of steps.flat()) {
          const [call, ...others] = await desk.waiting()
          assert.deepEqual([call.toolCallId, call.input, others], [`${way}/${toolCallId}`, input, []])
          await desk.answer(call, { approved: true })
          while ((await desk.calls('pending')).some((one) => one.id === call.id)) await pause(20)
        }
        await done
        assert.deepEqual(ran, steps.flat().map(([, , { n }]) => n))
      })
    }
  }
}

test("Mastra: the yes to a sub-agent's call is not one to another of its calls", async () => {
  const ran = []
  const tool = (name) => createTool({ id: name, description: name, inputSchema: z.object({ n: z.number() }), execute: async ({ n }) => (ran.push([name, n]), {}) })
  const held = gate(client, { pay: tool('pay'), read_file: tool('read_file') })
  const steps = [[id(), 'pay', { n: 1 }], [id(), 'read_file', { n: 1 }], [id(), 'pay', { n: 1 }]]
  const { agent } = supervised(steps, held)
  const done = drive(client, agent, 'go')
  for (const approved of [true, false]) await desk.answerNext({ approved })
  await done
  assert.deepEqual(ran.toSorted(), [['pay', 1], ['read_file', 1]])
})

test('Mastra: the name and the server that a program gives a tool are those that the desk is asked for', async () => {
  const ran = []
  const lend = createTool({ id: 'lend', description: 'l', inputSchema: z.object({ n: z.number() }), execute: async ({ n }) => (ran.push(n), {}) })
  const held = gate(client, { lend }, { serverOf: () => ({ serverId: 'bank', toolName: 'pay' }) })
  const { agent } = agentOf([[[id(), 'lend', { n: 1 }]]], held)
  const done = drive(client, agent, 'go')
  const [call] = await desk.waiting()
  assert.deepEqual([call.serverId, call.toolName], ['bank', 'pay'])
  await desk.answer(call, { approved: true })
  await done
  assert.deepEqual(ran, [1])
  assert.throws(() => gate(client, { lend: createTool({ id: 'lend', description: 'l', inputSchema: z.object({}) }) }), /lend has no execute/)
})

test('Mastra: a tool that an agent does not list is found by its name, where there is only one', async () => {
  const asking = new Desk(desk.options)
  const ran = []
  const own = () => createTool({ id: 'rare', description: 'r', inputSchema: z.object({ n: z.number() }), execute: async ({ n }) => (ran.push(n), {}) })
  const held = gate(asking, { rare: own() })
  const start = () => {
    const tools = ({ requestContext }) => (requestContext.get('user') ? held : {})
    const { agent } = agentOf([[[id(), 'rare', { n: 1 }]]], tools)
    return drive(asking, agent, 'go', { options: { requestContext: new RequestContext([['user', 'ada']]) } })
  }
  const done = start()
  await desk.answerNext({ approved: true })
  await done
  assert.deepEqual(ran, [1])
  gate(asking, { rare: own() })
  await assert.rejects(start(), /rare is not held by the desk, or several tools of that name are/)
  assert.deepEqual([ran, await desk.calls('pending')], [[1], []])
  asking.close()
})

test("Mastra: what Mastra and its model put beside a tool's own input is not asked, and reaches no tool", async () => {
  const ran = []
  const inputSchema = z.looseObject({ n: z.number() })
  const loose = createTool({ id: 'loose', description: 'l', inputSchema, execute: async (input) => (ran.push(input), {}) })
  const controls = { resumeData: { a: 1 }, suspendedToolCallId: 'x', suspendedToolRunId: 'y', _background: { disposition: 'awaited' } }
  for (const [i, more] of [controls, ...Object.entries(controls).map(([name, value]) => ({ [name]: value }))].entries()) {
    const { agent } = agentOf([[[id(), 'loose', { n: i, ...more }]]], gate(client, { loose }))
    const done = drive(client, agent, 'go')
    const [call] = await desk.waiting()
    assert.deepEqual(call.input, { n: i })
    await desk.answer(call, { approved: true })
    await done
    assert.deepEqual(ran.at(-1), { n: i })
    assert.equal(ran.length, i + 1)
  }
})

test('Mastra: a tool that does not wait for its own suspension is resumed all the same', async () => {
  const seen = []
  const hasty = createTool({
    id: 'read_hasty',
    description: 'h',
    inputSchema: z.object({ n: z.number() }),
    resumeSchema: z.object({ ok: z.boolean() }),
    execute: async ({ n }, { agent }) => {
      if (agent.resumeData) return void seen.push([n, agent.resumeData])
      void agent.suspend({ reason: 'May it?' })
    },
  })
  const { agent } = agentOf([[[id(), 'read_hasty', { n: 16 }]]], gate(client, { read_hasty: hasty }))
  const done = drive(client, agent, 'go')
  await desk.answer(await dataAsked(), { approved: true, resumeData: { ok: true } })
  await done
  assert.deepEqual(seen, [[16, { ok: true }]])
})

test('Mastra: a call is suspended only when the desk has its question, and tells its stream why', async (t) => {
  const seen = []
  const { asking } = await between(t, desk, async (path, body) => {
    if (path === '/v1/calls' && JSON.parse(body).resumeRequired) await pause(300)
  })
  const resumeSchema = JSON.stringify({ type: 'object', title: 'given by the tool' })
  const odd = createTool({
    id: 'read_why',
    description: 'w',
    inputSchema: z.object({ n: z.number() }),
    resumeSchema: z.object({ ok: z.boolean() }),
    execute: async ({ n }, { agent }) =>
      agent.resumeData ? void seen.push(n) : agent.suspend({ reason: 'Why?', more: 1 }, { resumeSchema }),
  })
  const { agent } = agentOf([[[id(), 'read_why', { n: 17 }]]], gate(asking, { read_why: odd }))
  const told = []
  const read = async (stream) => {
    for await (const chunk of stream.fullStream) if (chunk.type === 'tool-call-suspended') told.push(chunk.payload)
  }
  const done = drive(asking, agent, 'go', { onStream: (stream) => void read(stream) })
  await desk.answer(await dataAsked(), { approved: true, resumeData: { ok: true } })
  await done
  assert.deepEqual(seen, [17])
  assert.deepEqual([told[0].suspendPayload.reason, told[0].suspendPayload.more, told[0].resumeSchema], ['Why?', 1, resumeSchema])
})
