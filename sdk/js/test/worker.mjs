// A program that a test kills: an agent of the AI SDK with one tool, which writes what it ran
// into a file. Its history is in a file too, so that the next process goes on with it.

import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { Desk } from '@sekisho/client'
import { gate, gate5, recover, run5 } from '@sekisho/client/ai'
import * as ai7 from 'ai'
import * as ai5 from 'ai5'
import * as ai6 from 'ai6'
import { z } from 'zod'
import { scripted } from './model.mjs'

const [, , effects, file, toolName, runId, slow, version] = process.argv
const { generateText } = { 5: ai5, 6: ai6, 7: ai7 }[version]
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
const tools = (version === '5' ? gate5 : gate)(desk, { [toolName]: own }, { runId })
const model = scripted(Number(version), [[[`${runId}-call`, toolName, { n: 1 }]]])
const history = existsSync(file) ? JSON.parse(readFileSync(file)) : [{ role: 'user', content: 'go' }]
const next = async (messages) => {
  const result = await generateText({ model, tools, messages })
  const said = (await result.responseMessages) ?? result.response.messages
  const whole = `${file}.${process.pid}`
  writeFileSync(whole, JSON.stringify([...messages, ...said]))
  renameSync(whole, file)
  return result
}
const { messages } = await (version === '5' ? run5 : recover)(desk, history, next, { tools })
desk.close()
process.stdout.write(JSON.stringify(messages))
