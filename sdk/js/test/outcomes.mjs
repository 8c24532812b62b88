// The outcomes of one call, for each SDK and each way to drive it: whether it ran, and what the
// model was told.

import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { Desk } from '@sekisho/client'
import { between } from './between.mjs'
import { clock } from './clock.mjs'
import { pause } from './person.mjs'

const deadlines = (desk, medium) => desk.operator('PATCH', '/v1/settings', { deadlines: { medium, high: medium } })

/** By name: the tool, what is done while it waits, what the model is told; it ran or never. */
const outcomes = {
  'allowed by a rule': { tool: 'read_file', ran: true, told: /"?done"?\\?"?:/ },
  approved: { tool: 'pay', act: (desk) => desk.answerNext({ approved: true }), ran: true, told: /done/ },
  'declined with a reason': {
    tool: 'pay',
    act: (desk) => desk.answerNext({ approved: false, reason: 'Not while I am away.' }),
    told: /Not while I am away\./,
  },
  expired: { tool: 'pay', deadline: 1, told: /Approval timeout: .*not a judgement/ },
  'cancelled at the desk': {
    tool: 'pay',
    act: async (desk, client) => client.cancel((await desk.waiting())[0].id),
    told: /Approval request was cancelled/,
  },
  'denied by a rule': { tool: 'delete_file', told: /Nothing is deleted here\./ },
}

let number = 1000

/**
 * Makes the tests of one way. `start(by, steps, execute, signal)` starts a run of a script with
 * tools that ask by a client and call `execute(name, input)`, and gives its end and the model.
 */
export function testOutcomes({ test, name, desk, client, start }) {
  /** A run whose tools note in the file of effects that they ran. */
  const noted = (steps, more = () => {}, { by = client(), signal } = {}) => {
    const execute = async (tool, input) => {
      desk().ran(`${tool} ${input.n}`)
      await more(tool, input)
      return { done: input.n }
    }
    const r = start(by, steps, execute, signal)
    r.done.catch(() => {})
    return r
  }
  const ran = (line) => desk().effectsSoFar().filter((one) => one === line).length

  for (const [outcome, o] of Object.entries(outcomes)) {
    test(`${name}: ${outcome}`, async () => {
      const n = ++number
      if (o.deadline) await deadlines(desk(), o.deadline)
      const r = noted([[[`outcome-${n}`, o.tool, { n }]]])
      await o.act?.(desk(), client())
      await r.done
      if (o.deadline) await deadlines(desk(), 600)
      assert.equal(ran(`${o.tool} ${n}`), o.ran ? 1 : 0)
      assert.match(r.model.told(), o.told)
    })
  }

  test(`${name}: a rule that changes between the steps`, async () => {
    const [one, two] = [++number, ++number]
    let rule
    const deny = async (tool, { n }) => {
      if (n !== one) return
      const body = { toolName: 'read_file', effect: 'deny', priority: 99, note: 'Reading has ended.' }
      ;({ rule } = await desk().operator('POST', '/v1/rules', body))
    }
    const steps = [[[`rule-${one}`, 'read_file', { n: one }]], [[`rule-${two}`, 'read_file', { n: two }]]]
    const r = noted(steps, deny)
    await r.done.finally(() => desk().operator('DELETE', `/v1/rules/${rule.id}`))
    assert.deepEqual([ran(`read_file ${one}`), ran(`read_file ${two}`)], [1, 0])
    assert.match(r.model.told(), /Reading has ended\./)
  })

  test(`${name}: odd names, a large input, and a number in a string`, async () => {
    const n = ++number
    const large = 'x'.repeat(5 << 20)
    const steps = [
      [[`a-${n}`, 'constructor', { n, note: '9007199254740993' }], [`b-${n}`, 'toString', { n }]],
      [[`c-${n}`, 'read_file', { n, note: large }]],
    ]
    let length = 0
    const r = noted(steps, (tool, input) => void (length = Math.max(length, input.note.length)))
    for (const tool of new Set(['constructor', 'toString'])) {
      let call
      while (!call) {
        await pause(20)
        call = (await desk().calls('pending')).find((one) => one.toolName === tool)
      }
      if (tool === 'constructor') assert.equal(call.input.note, '9007199254740993')
      assert.equal(Object.hasOwn(call.input, 'note'), true)
      await desk().answer(call, { approved: true })
    }
    await r.done
    for (const tool of ['constructor', 'toString', 'read_file']) assert.equal(ran(`${tool} ${n}`), 1, tool)
    assert.equal(length, 5 << 20)
  })

  test(`${name}: cancelled by an abort`, async () => {
    const n = ++number
    const left = new AbortController()
    const r = noted([[[`abort-${n}`, 'pay', { n }]]], undefined, { signal: left.signal })
    const [call] = await desk().waiting()
    left.abort(new Error('left'))
    await assert.rejects(r.done, { message: 'left' })
    assert.equal((await client().call(call.id)).status, 'cancelled')
    assert.equal(ran(`pay ${n}`), 0)
  })

  test(`${name}: three parallel calls, each with its own answer`, async () => {
    const three = [++number, ++number, ++number]
    const r = noted([three.map((n) => [`three-${n}`, 'pay', { n }])])
    for (let answered = 0; answered < 3; answered++) {
      const [call] = await desk().waiting()
      const approved = call.input.n !== three[1]
      await desk().answer(call, { approved, reason: approved ? '' : 'Not the second.' })
    }
    await r.done
    assert.deepEqual(three.map((n) => ran(`pay ${n}`)), [1, 0, 1])
    assert.match(r.model.told(), /Not the second\./)
  })

  test(`${name}: the step after an approval asks again`, async () => {
    const [one, two] = [++number, ++number]
    const r = noted([[[`again-${one}`, 'pay', { n: one }]], [[`again-${two}`, 'pay', { n: two }]]])
    await desk().answerNext({ approved: true })
    let call
    while (call?.input.n !== two) [call] = await desk().waiting()
    assert.deepEqual([ran(`pay ${one}`), ran(`pay ${two}`)], [1, 0])
    await desk().answer(call, { approved: false, reason: 'Once is enough.' })
    await r.done
    assert.deepEqual([ran(`pay ${one}`), ran(`pay ${two}`)], [1, 0])
    assert.match(r.model.told(), /Once is enough\./)
  })

  test(`${name}: what is asked is what runs: coerced, and with its defaults`, async () => {
    const n = ++number
    let got
    const r = noted([[[`coerced-${n}`, 'pay', { n: `${n}`, more: 'x' }]]], (_, input) => (got = input))
    const [call] = await desk().waiting()
    assert.deepEqual(call.input, { n, note: 'none' })
    await desk().answer(call, { approved: true })
    await r.done
    assert.deepEqual(got, { n, note: 'none' })
  })

  test(`${name}: an input with __proto__ changes nothing else, and runs as it was asked or not at all`, async () => {
    const n = ++number
    const odd = JSON.parse(`{"n":${n},"__proto__":{"note":"inherited"}}`)
    const seen = []
    const r = noted([[[`proto-${n}`, 'read_file', odd]]], (_, input) => seen.push(input))
    await r.done
    assert.equal({}.note, undefined)
    // The AI SDK refuses such JSON. Mastra makes a prototype of it, which the schema reads.
    assert.equal(seen.length, name.startsWith('Mastra') ? 1 : 0)
    const asked = (await desk().calls()).filter((call) => call.toolCallId === `proto-${n}`)
    assert.deepEqual(seen, asked.map((call) => call.input))
  })

  test(`${name}: an input that the tool's schema refuses asks and runs nothing, and the model is told`, async () => {
    const n = ++number
    const r = noted([[[`unfit-${n}`, 'read_file', { n: 'x' }], [`unfit-too-${n}`, 'pay', {}]]])
    await r.done
    assert.deepEqual([ran('read_file x'), ran('read_file NaN'), ran('pay undefined'), ran('pay NaN')], [0, 0, 0, 0])
    assert.deepEqual((await desk().calls()).filter((call) => call.toolCallId.startsWith('unfit')), [])
    assert.match(r.model.told(), /expected number/)
  })

  for (const [policy, answer] of Object.entries({ 'is refused': { status: 400, text: '{}' }, 'is no policy': { status: 200, text: 'null' } })) {
    test(`${name}: a policy that throws, since its question ${policy}: the desk is asked`, async (t) => {
      const [one, two] = [++number, ++number]
      const { asking } = await between(t, desk(), (path) => (path === '/v1/evaluate' ? answer : undefined))
      const steps = [[[`throws-${one}`, 'read_file', { n: one }]], [[`throws-${two}`, 'pay', { n: two }]]]
      const r = noted(steps, undefined, { by: asking })
      await desk().answerNext({ approved: false, reason: 'No policy, no money.' })
      await r.done
      assert.deepEqual([ran(`read_file ${one}`), ran(`pay ${two}`)], [1, 0])
      assert.match(r.model.told(), /No policy, no money\./)
    })
  }

  /** A step of so many calls with a desk that cannot be reached: it takes 15 s at most. */
  const lost = async (time, url, calls) => {
    const by = new Desk({ url, token: 'ska_nothing' })
    const some = Array.from({ length: calls }, () => ++number)
    const r = noted([some.map((n) => [`lost-${n}`, 'read_file', { n }])], undefined, { by })
    const why = await r.done.then(() => r.model.told(), (error) => error.message)
    assert.ok(why.includes(`the desk at ${url} cannot be reached`), why)
    assert.ok(time.passed() > 5 && time.passed() <= 15, `${time.passed()} s`)
    for (const n of some) assert.equal(ran(`read_file ${n}`), 0)
    by.close()
  }

  test(`${name}: a desk that is not there: nothing runs, and it is named within 15 s`, async (t) => {
    await lost(clock(t), 'http://127.0.0.1:9', 5)
  })

  test(`${name}: a desk that says nothing: nothing runs, and it is named within 15 s`, async (t) => {
    const time = clock(t)
    const silent = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', async () => {
        while (!socket.destroyed) {
          time.next()
          await pause(20)
        }
      })
    })
    await new Promise((resolve) => silent.listen(0, '127.0.0.1', resolve))
    t.after(() => silent.close())
    await lost(time, `http://127.0.0.1:${silent.address().port}`, 1)
  })
}
