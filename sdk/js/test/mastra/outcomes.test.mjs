// Mastra, with generate and stream: every outcome of a call.

import { after, afterEach, before } from 'node:test'
import { Agent } from '@mastra/core/agent'
import { Mastra } from '@mastra/core/mastra'
import { InMemoryStore } from '@mastra/core/storage'
import { createTool } from '@mastra/core/tools'
import { Desk } from '@sekisho/client'
import { drive, gate } from '@sekisho/client/mastra'
import { z } from 'zod'
import { scripted } from '../model.mjs'
import { testOutcomes } from '../outcomes.mjs'
import { deskWith, test } from '../person.mjs'

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

const inputSchema = z.object({ n: z.coerce.number(), note: z.string().default('none') })
const names = ['read_file', 'pay', 'delete_file', 'constructor', 'toString']

for (const mode of ['generate', 'stream']) {
  const start = (by, steps, execute, signal) => {
    const own = names.map((id) => {
      return [id, createTool({ id, description: id, inputSchema, execute: (input) => execute(id, input) })]
    })
    const tools = gate(by, Object.fromEntries(own))
    const model = scripted(6, steps)
    const agent = new Agent({ id: 'app', name: 'app', instructions: 'Do it.', model, tools })
    new Mastra({ agents: { app: agent }, storage: new InMemoryStore(), logger: false })
    return { model, done: drive(by, agent, 'go', { mode, options: { maxSteps: 5 }, signal }) }
  }
  testOutcomes({ test, name: `Mastra, ${mode}`, desk: () => desk, client: () => client, start })
}
