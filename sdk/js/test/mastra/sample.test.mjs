// One case of Mastra, for `make test`: an approved call runs once, a declined one never.

import assert from 'node:assert/strict'
import { Agent } from '@mastra/core/agent'
import { Mastra } from '@mastra/core/mastra'
import { InMemoryStore } from '@mastra/core/storage'
import { createTool } from '@mastra/core/tools'
import { Desk } from '@sekisho/client'
import { drive, gate } from '@sekisho/client/mastra'
import { z } from 'zod'
import { scripted } from '../model.mjs'
import { deskWith, test } from '../person.mjs'

test('Mastra: approved once, declined never', async () => {
  const desk = await deskWith()
  const client = new Desk(desk.options)
  const seen = []
  const pay = createTool({
    id: 'pay',
    description: 'pay',
    inputSchema: z.object({ n: z.number() }),
    execute: async ({ n }) => (seen.push(n), { paid: n }),
  })
  const model = scripted(6, [[['a', 'pay', { n: 1 }]], [['b', 'pay', { n: 2 }]]])
  const tools = gate(client, { pay })
  const agent = new Agent({ id: 'app', name: 'app', instructions: 'Pay.', model, tools })
  new Mastra({ agents: { app: agent }, storage: new InMemoryStore(), logger: false })
  const done = drive(client, agent, 'go')
  await desk.answerNext({ approved: true })
  for (let answered = false; !answered; ) {
    const [next] = (await desk.waiting()).filter((c) => c.input.n === 2)
    if (!next) continue
    await desk.answer(next, { approved: false, reason: 'Not two.' })
    answered = true
  }
  await done
  assert.deepEqual(seen, [1])
  assert.match(model.told(), /Not two\./)
  client.close()
  await desk.end()
})
