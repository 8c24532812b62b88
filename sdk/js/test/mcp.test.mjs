// Tools of a real MCP server, by the AI SDK's own MCP client.

import assert from 'node:assert/strict'
import { after, afterEach, before } from 'node:test'
import { fileURLToPath } from 'node:url'
import * as mcp7 from '@ai-sdk/mcp'
import { Experimental_StdioMCPTransport as Stdio7 } from '@ai-sdk/mcp/mcp-stdio'
import { Desk } from '@sekisho/client'
import { run, wrapMcpTools } from '@sekisho/client/ai'
import * as ai7 from 'ai'
import * as ai6 from 'ai6'
import * as mcp6 from 'mcp6'
import { Experimental_StdioMCPTransport as Stdio6 } from 'mcp6/mcp-stdio'
import { scripted } from './model.mjs'
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

const server = fileURLToPath(new URL('mcp-server.mjs', import.meta.url))

for (const [version, ai, mcp, Stdio] of [[6, ai6, mcp6, Stdio6], [7, ai7, mcp7, Stdio7]]) {
  test(`AI SDK ${version}: an MCP server's tools run with the desk's yes, each once`, async () => {
    const create = mcp.createMCPClient ?? mcp.experimental_createMCPClient
    const transport = new Stdio({ command: process.execPath, args: [server, desk.effects] })
    const bank = await create({ transport })
    const tools = wrapMcpTools(client, 'bank', await bank.tools(), { sessionId: `bank-${version}` })
    const n = version * 10
    const names = ['read_file', 'pay', 'lend', 'a_b_c', 'delete_file']
    const model = scripted(version, [names.map((name, i) => [`c${n + i}`, name, { n: n + i }])])
    const next = (messages) => ai.generateText({ model, tools, messages })
    const done = run(client, [{ role: 'user', content: 'go' }], next, { tools })
    for (const call of await desk.waiting(3)) {
      assert.equal(call.serverId, 'bank')
      const approved = call.toolName !== 'a_b_c'
      await desk.answer(call, { approved, reason: approved ? '' : 'Not this one.' })
    }
    await done
    const ran = desk.effectsSoFar().filter((line) => line.includes(` ${version}`)).sort()
    assert.deepEqual(ran, [`lend ${n + 2}`, `pay ${n + 1}`, `read_file ${n}`])
    for (const told of [`done ${n}`, `done ${n + 1}`, 'Not this one.', 'Nothing is deleted here.']) {
      assert.ok(model.told().includes(told), told)
    }
    await bank.close()
  })
}
