// One case for each SDK, for `make test`: an approved call runs once, a declined one never.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { Desk } from '@sekisho/client'
import { gate, gate5, run, run5 } from '@sekisho/client/ai'
import * as ai5 from 'ai5'
import * as ai6 from 'ai6'
import * as ai7 from 'ai7'
import { z } from 'zod'
import { scripted } from './model.mjs'
import { deskWith, test } from './person.mjs'

let desk
let client
before(async () => {
  desk = await deskWith()
  client = new Desk(desk.options)
})
after(async () => {
  client.close()
  await desk.end()
})

for (const [version, ai] of [[5, ai5], [6, ai6], [7, ai7]]) {
  test(`AI SDK ${version}: approved once, declined never`, async () => {
    const seen = []
    const pay = {
      description: 'pay',
      inputSchema: z.object({ n: z.number() }),
      execute: async ({ n }) => (seen.push(n), { paid: n }),
    }
    const model = scripted(version, [[[`a${version}`, 'pay', { n: 1 }], [`b${version}`, 'pay', { n: 2 }]]])
    const tools = version === 5 ? gate5(client, { pay }) : gate(client, { pay })
    const drive = version === 5 ? run5 : run
    const next = (messages) => ai.generateText({ model, tools, messages })
    const done = drive(client, [{ role: 'user', content: 'go' }], next, { tools })
    for (const call of await desk.waiting(2)) {
      await desk.answer(call, { approved: call.input.n === 1, reason: call.input.n === 1 ? '' : 'Not two.' })
    }
    await done
    assert.deepEqual(seen, [1])
    assert.match(model.told(), /Not two\./)
  })
}
