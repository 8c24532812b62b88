// The real AI SDK 5 against a real desk: its tools have no execute, and the desk's answers are
// the results of their calls.

import assert from 'node:assert/strict'
import { after, afterEach, before } from 'node:test'
import { Desk } from '@sekisho/client'
import { gate, gate5, run5 } from '@sekisho/client/ai'
import * as ai from 'ai5'
import { z } from 'zod'
import { scripted } from './model.mjs'
import { deskWith, pause, test } from './person.mjs'

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

const user = (content) => [{ role: 'user', content }]
let ids = 0
const id = () => `call_${++ids}`

function tools(seen) {
  const counts = (name) => ({
    description: name,
    inputSchema: z.object({ n: z.number(), note: z.string().default('none') }),
    execute: async (input) => (seen.push([name, input]), { done: input.n }),
  })
  return Object.fromEntries(['pay', 'read_file', 'delete_file', 'note'].map((name) => [name, counts(name)]))
}

const ways = {
  generate: (model, held) => (messages) => ai.generateText({ model, tools: held, messages }),
  stream: (model, held) => (messages) => ai.streamText({ model, tools: held, messages }),
  agent: (model, held) => {
    const agent = new ai.Experimental_Agent({ model, tools: held })
    return (messages) => agent.generate({ messages })
  },
}

for (const [way, make] of Object.entries(ways)) {
  const name = `AI SDK 5, ${way}`

  test(`${name}: one step with an allowed, an approved, a declined and a denied call`, async () => {
    const seen = []
    const model = scripted(5, [
      [
        [id(), 'read_file', { n: 1 }],
        [id(), 'pay', { n: 2 }],
        [id(), 'pay', { n: 3 }],
        [id(), 'delete_file', { n: 4 }],
      ],
    ])
    const held = gate5(client, tools(seen), { sessionId: id() })
    const done = run5(client, user('go'), make(model, held), { tools: held })
    for (const call of await desk.waiting(2)) {
      const approved = call.input.n === 2
      await desk.answer(call, approved ? { approved } : { approved, reason: 'Not number three.' })
    }
    await done
    const ran = seen.map(([tool, input]) => [tool, input.n]).sort()
    assert.deepEqual(ran, [['pay', 2], ['read_file', 1]])
    assert.match(model.told(), /Error: User denied access: Not number three\./)
    assert.match(model.told(), /Nothing is deleted here\./)
  })
}

/** A history whose one call was answered by the page, with a text. */
function answered(toolCallId, input, value) {
  const call = { type: 'tool-call', toolCallId, toolName: 'pay', input }
  const result = { type: 'tool-result', toolCallId, toolName: 'pay', output: { type: 'text', value } }
  return [
    ...user('go'),
    { role: 'assistant', content: [call] },
    { role: 'tool', content: [result] },
  ]
}

test("AI SDK 5: 'Yes, confirmed.' of a page approves nothing", async () => {
  const seen = []
  const held = gate5(client, tools(seen))
  const model = scripted(5, [])
  const history = answered(id(), { n: 6, note: 'none' }, 'Yes, confirmed.')
  const done = run5(client, history, ways.generate(model, held), { tools: held })
  const [call] = await desk.waiting()
  assert.equal(seen.length, 0)
  await desk.answer(call, { approved: false, reason: 'Not by the page.' })
  await done
  assert.equal(seen.length, 0)
  assert.match(model.told(), /Not by the page\./)
  assert.doesNotMatch(model.told(), /Yes, confirmed/)
})

test("AI SDK 5: 'No, denied.' of a page is a no", async () => {
  const seen = []
  const held = gate5(client, tools(seen))
  const model = scripted(5, [])
  const history = answered(id(), { n: 7, note: 'none' }, 'No, denied.')
  await run5(client, history, ways.generate(model, held), { tools: held })
  assert.equal(seen.length, 0)
  assert.match(model.told(), /Error: User denied access/)
})

test('AI SDK 5: an answer for a session of one user reaches no other user', async () => {
  const seen = []
  const talk = (sessionId) => {
    const held = gate5(client, tools(seen), { sessionId })
    const model = scripted(5, [[[id(), 'note', { n: 9 }]], [[id(), 'note', { n: 10 }]]])
    return run5(client, user('same words'), ways.generate(model, held), { tools: held })
  }
  const first = talk('ada-5')
  await desk.answerNext({ approved: true, scope: 'session' })
  await first
  assert.equal(seen.length, 2)
  const second = talk('bob-5')
  for (const n of [9, 10]) {
    const [call] = await desk.waiting()
    assert.deepEqual([call.sessionId, call.input.n], ['bob-5', n])
    await desk.answer(call, { approved: false })
  }
  await second
  assert.equal(seen.length, 2)
  await client.endSession('ada-5')
})

test('AI SDK 5: a stored history without results is taken up twice at once: each call runs once', async () => {
  const seen = []
  const call = { type: 'tool-call', toolCallId: id(), toolName: 'read_file', input: { n: 11, note: 'none' } }
  const history = [...user('stored'), { role: 'assistant', content: [call] }]
  const held = gate5(client, tools(seen), { sessionId: 'stored' })
  const go = () => run5(client, structuredClone(history), ways.generate(scripted(5, []), held), { tools: held })
  for (const { messages } of await Promise.all([go(), go(), go()])) assert.match(JSON.stringify(messages), /"done":11/)
  await go()
  assert.equal(seen.length, 1)
})

test('AI SDK 5: tools of gate wait inside execute, and run once', async () => {
  const seen = []
  const held = gate(client, tools(seen))
  const model = scripted(5, [[[id(), 'pay', { n: 8 }]]])
  const done = ai.generateText({ model, tools: held, messages: user('go'), stopWhen: ai.stepCountIs(3) })
  await desk.waiting()
  await pause(100)
  assert.equal(seen.length, 0)
  await desk.answerNext({ approved: true })
  await done
  assert.equal(seen.length, 1)
})
