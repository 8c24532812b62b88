// A program that a test kills: an agent of the AI SDK 6 with one tool, which writes what it ran
// into a file. Its history is in a file too, so that the next process goes on with it.

import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { Desk } from '@sekisho/client'
import { gate, recover } from '@sekisho/client/ai'
import { generateText } from 'ai6'
import { z } from 'zod'
import { scripted } from './model.mjs'

const [, , effects, file, toolName, runId, slow] = process.argv
const desk = new Desk()
const own = {
  description: toolName,
  inputSchema: z.object({ n: z.number() }),
  execute: async ({ n }) => {
    appendFileSync(effects, `${runId}/${n}\n`)
    await new Promise((resolve) => setTimeout(resolve, Number(slow)))
    return { done: n }
  },
}
const tools = gate(desk, { [toolName]: own }, { runId })
const model = scripted(6, [[[`${runId}-call`, toolName, { n: 1 }]]])
const history = existsSync(file) ? JSON.parse(readFileSync(file)) : [{ role: 'user', content: 'go' }]
const next = async (messages) => {
  const result = await generateText({ model, tools, messages })
  writeFileSync(file, JSON.stringify([...messages, ...result.response.messages]))
  return result
}
const { messages } = await recover(desk, history, next, { tools })
desk.close()
process.stdout.write(JSON.stringify(messages))
