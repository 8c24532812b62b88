// A program that a test kills: an agent of Mastra whose runs are in a database of libsql. It takes
// up what an earlier process left, else it starts.

import { appendFileSync } from 'node:fs'
import { Agent } from '@mastra/core/agent'
import { Mastra } from '@mastra/core/mastra'
import { createTool } from '@mastra/core/tools'
import { LibSQLStore } from '@mastra/libsql'
import { Desk } from '@sekisho/client'
import { drive, gate, recover } from '@sekisho/client/mastra'
import { z } from 'zod'
import { scripted } from '../model.mjs'

const [, , effects, database, toolName, runId, slow, go] = process.argv
const desk = new Desk()
const own = createTool({
  id: toolName,
  description: toolName,
  inputSchema: z.object({ n: z.number() }),
  execute: async ({ n }) => {
    appendFileSync(effects, `${runId}/${n}\n`)
    await new Promise((resolve) => setTimeout(resolve, Number(slow)))
    return { done: n }
  },
})
const model = scripted(6, [[[`${runId}-call`, toolName, { n: 1 }]]])
const tools = gate(desk, { [toolName]: own })
const agent = new Agent({ id: 'app', name: 'app', instructions: 'Do it.', model, tools })
const storage = new LibSQLStore({ id: 'runs', url: `file:${database}` })
new Mastra({ agents: { app: agent }, storage, logger: false })

let outputs = await recover(desk, agent)
if (outputs.length === 0 && go === 'go') outputs = [await drive(desk, agent, 'go', { options: { runId } })]
for (const output of outputs) process.stdout.write(`${await output?.text}\n`)
desk.close()
process.exit(0)
