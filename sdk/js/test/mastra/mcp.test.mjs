// Tools of a real MCP server, by Mastra's own MCP client.

import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { Agent } from '@mastra/core/agent'
import { Mastra } from '@mastra/core/mastra'
import { InMemoryStore } from '@mastra/core/storage'
import { MCPClient } from '@mastra/mcp'
import { Desk } from '@sekisho/client'
import { drive, gateToolsets } from '@sekisho/client/mastra'
import { scripted } from '../model.mjs'
import { deskWith, test } from '../person.mjs'

const server = fileURLToPath(new URL('../mcp-server.mjs', import.meta.url))

test('Mastra: the tools of listToolsets() are those of their server, and run once', async () => {
  const desk = await deskWith()
  const client = new Desk(desk.options)
  const way = { command: process.execPath, args: [server, desk.effects] }
  // The names would be cut at the wrong place: of a_b with c, and of a with b_c.
  const mcp = new MCPClient({ id: 'test', servers: { my_bank: way } })
  const toolsets = gateToolsets(client, await mcp.listToolsets())
  const names = ['read_file', 'pay', 'a_b_c', 'delete_file']
  const model = scripted(6, names.map((name, i) => [[`c${i}`, name, { n: i }]]))
  const agent = new Agent({ id: 'app', name: 'app', instructions: 'Do it.', model })
  new Mastra({ agents: { app: agent }, storage: new InMemoryStore(), logger: false })
  const done = drive(client, agent, 'go', { options: { toolsets, maxSteps: 9 } })
  done.catch(() => {})
  for (const expected of ['pay', 'a_b_c']) {
    const [call] = await desk.waiting()
    assert.deepEqual([call.serverId, call.toolName], ['my_bank', expected])
    const approved = expected === 'pay'
    await desk.answer(call, { approved, reason: approved ? '' : 'Not this one.' })
    while ((await desk.calls('pending')).some(({ id }) => id === call.id));
  }
  await done
  assert.deepEqual(desk.effectsSoFar(), ['read_file 0', 'pay 1'])
  for (const told of ['done 0', 'done 1', 'Not this one.', 'Nothing is deleted here.']) {
    assert.ok(model.told().includes(told), told)
  }
  await mcp.disconnect()
  client.close()
  await desk.end()
})
