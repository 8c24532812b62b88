// A real MCP server over stdio, whose tools note in a file that they ran.

import { appendFileSync } from 'node:fs'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const [, , effects] = process.argv
const server = new McpServer({ name: 'bank', version: '1.0.0' })
for (const name of ['pay', 'read_file', 'delete_file', 'lend', 'a_b_c']) {
  server.registerTool(name, { description: name, inputSchema: { n: z.number() } }, async ({ n }) => {
    appendFileSync(effects, `${name} ${n}\n`)
    return { content: [{ type: 'text', text: `done ${n}` }] }
  })
}
await server.connect(new StdioServerTransport())
