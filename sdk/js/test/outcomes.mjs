// The outcomes of one call, for each SDK and each way to drive it: whether it ran, and what the
// model was told.

import assert from 'node:assert/strict'
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
 * Makes the tests of one way. `start(steps, execute)` starts a run of a script with tools that
 * call `execute(name, input)`, and gives its end and the model.
 */
export function testOutcomes({ test, name, desk, client, start }) {
  /** A run whose tools note in the file of effects that they ran. */
  const noted = (steps, more = () => {}) => {
    const execute = async (tool, input) => {
      desk().ran(`${tool} ${input.n}`)
      await more(tool, input)
      return { done: input.n }
    }
    const r = start(steps, execute)
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
}
