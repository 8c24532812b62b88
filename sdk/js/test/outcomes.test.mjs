// The AI SDK 5, 6 and 7, each with generateText, streamText and its agent: every outcome of a call.

import { after, afterEach, before } from 'node:test'
import { Desk } from '@sekisho/client'
import { gate, gate5, run, run5 } from '@sekisho/client/ai'
import * as ai7 from 'ai'
import * as ai5 from 'ai5'
import * as ai6 from 'ai6'
import { z } from 'zod'
import { scripted } from './model.mjs'
import { testOutcomes } from './outcomes.mjs'
import { deskWith, test } from './person.mjs'

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

/** Starts a run of a script of a version, in one way. */
function started(version, ai, way, by, steps, execute, signal) {
  const own = Object.fromEntries(
    names.map((name) => [name, { description: name, inputSchema, execute: (input) => execute(name, input) }]),
  )
  const tools = (version === 5 ? gate5 : gate)(by, own)
  const model = scripted(version, steps)
  const Agent = ai.ToolLoopAgent ?? ai.Experimental_Agent
  const stopWhen = (ai.isStepCount ?? ai.stepCountIs)(5)
  const next = {
    generate: (messages) => ai.generateText({ model, tools, messages, stopWhen }),
    stream: (messages) => ai.streamText({ model, tools, messages, stopWhen }),
    agent: (messages) => new Agent({ model, tools, stopWhen }).generate({ messages }),
  }[way]
  return { model, done: (version === 5 ? run5 : run)(by, [{ role: 'user', content: 'go' }], next, { tools, signal }) }
}

for (const [version, ai] of [[5, ai5], [6, ai6], [7, ai7]]) {
  for (const way of ['generate', 'stream', 'agent']) {
    const start = (...run) => started(version, ai, way, ...run)
    testOutcomes({ test, name: `AI SDK ${version}, ${way}`, desk: () => desk, client: () => client, start })
  }
}
