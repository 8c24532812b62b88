// @ai-sdk/policy-opa straight at the desk: what its rules say is what the AI SDK 7 does.

import assert from 'node:assert/strict'
import { httpPolicyClient, opaCapabilityMiddleware, opaPolicy, wrapMcpTools } from '@ai-sdk/policy-opa'
import { generateText, isStepCount, wrapLanguageModel } from 'ai'
import { z } from 'zod'
import { scripted } from './model.mjs'
import { deskWith, rules, test } from './person.mjs'

const inputSchema = z.object({ n: z.number() })

/** Asks once with a policy at a URL; what ran, what was asked of the program, what the model saw. */
async function asked(url, token, steps, { toInput, toolApproval } = {}) {
  const ran = []
  const counts = (name) => ({ description: name, inputSchema, execute: ({ n }) => (ran.push(`${name} ${n}`), n) })
  const names = ['read_file', 'pay', 'delete_file', 'constructor', 'toString']
  const tools = Object.fromEntries(names.map((name) => [name, counts(name)]))
  const client = httpPolicyClient({ url, headers: { Authorization: `Bearer ${token}` } })
  const policy = opaPolicy({ client, path: 'sekisho/decision', toInput })
  const inner = scripted(7, steps)
  const middleware = opaCapabilityMiddleware({ client, path: 'sekisho/tools' })
  const result = await generateText({
    model: wrapLanguageModel({ model: inner, middleware }),
    providerOptions: { sekisho: { tools: names } },
    tools,
    toolApproval: toolApproval ? toolApproval(tools, policy) : policy,
    prompt: 'go',
    stopWhen: isStepCount(4),
  })
  const requests = result.content.filter((part) => part.type === 'tool-approval-request')
  return { ran, requests: requests.filter((r) => !r.isAutomatic), told: inner.told(), shown: inner.shown }
}

test('allow runs, ask asks the program, deny is told, and denied tools are not shown', async () => {
  const desk = await deskWith()
  const steps = [[['a', 'read_file', { n: 1 }], ['b', 'delete_file', { n: 2 }]], [['c', 'pay', { n: 3 }]]]
  const r = await asked(desk.url, desk.token, steps)
  assert.deepEqual(r.ran, ['read_file 1'])
  assert.equal(r.requests.length, 1)
  assert.match(r.told, /Nothing is deleted here\./)
  assert.deepEqual(r.shown[0], ['read_file', 'pay', 'constructor', 'toString'])
  assert.deepEqual(await desk.calls(), [])
  await desk.end()
})

test('tools with odd names, rules of one server, and the wrapped form ask', async () => {
  const desk = await deskWith([...rules, { toolName: 'pay', serverId: 'bank', effect: 'allow', priority: 5 }])
  const odd = await asked(desk.url, desk.token, [[['a', 'constructor', { n: 1 }], ['b', 'toString', { n: 2 }]]])
  assert.deepEqual([odd.ran, odd.requests.length], [[], 2])
  const own = await asked(desk.url, desk.token, [[['a', 'pay', { n: 1 }]]])
  assert.deepEqual([own.ran, own.requests.length], [[], 1])
  const toInput = ({ toolCall }) => ({ tool: { name: toolCall.toolName, serverId: 'bank' }, args: toolCall.input })
  const bank = await asked(desk.url, desk.token, [[['a', 'pay', { n: 2 }]]], { toInput })
  assert.deepEqual([bank.ran, bank.requests.length], [['pay 2'], 0])
  const toolApproval = (tools, policy) => wrapMcpTools(tools, policy).toolApproval
  const wrapped = await asked(desk.url, desk.token, [[['a', 'pay', { n: 3 }]]], { toolApproval })
  assert.deepEqual([wrapped.ran, wrapped.requests.length], [[], 1])
  await desk.end()
})

test('a desk that is not there, or a token that it does not know: nothing runs', async () => {
  const desk = await deskWith()
  const steps = [[['a', 'read_file', { n: 1 }]]]
  for (const [url, token] of [['http://127.0.0.1:9', desk.token], [desk.url, 'ska_nothing']]) {
    const r = await asked(url, token, steps)
    assert.deepEqual([r.ran, r.requests.length], [[], 0])
    assert.match(r.told, /policy evaluation failed/)
    assert.deepEqual(r.shown[0], [])
  }
  await desk.end()
})

test('an answer of 200 has a result, whatever is asked', async () => {
  const desk = await deskWith()
  const post = (row, body) =>
    fetch(`${desk.url}/v1/data/sekisho/${row}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${desk.token}`, 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const some = [
    {}, { input: {} }, { input: null }, [], '', '{', { input: { tool: {} } }, { input: { tool: { name: '' } } },
    { input: { tool: { name: 'read_file' } } }, { input: { tool: { name: '__proto__' }, args: { n: 1 } } },
    { input: { tool: { name: 'x' }, args: '\ud83d' } }, { input: { tools: ['a', 7] } }, { input: { tools: ['a'] } },
    { input: { tool: { name: 'x'.repeat(5000) } } }, { input: { tool: { name: 'x' }, args: { t: 'y'.repeat(5 << 20) } } },
  ]
  let good = 0
  for (const row of ['decision', 'tools']) {
    for (const body of some) {
      const answer = await post(row, body)
      const text = await answer.text()
      const what = `${row} ${JSON.stringify(body).slice(0, 60)}: ${answer.status}`
      if (answer.status !== 200) {
        assert.ok(answer.status >= 400 && answer.status < 500, what)
        continue
      }
      good++
      assert.notEqual(JSON.parse(text).result ?? undefined, undefined, what)
    }
  }
  assert.ok(good > 5)
  await desk.end()
})
