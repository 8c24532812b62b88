// An MCP server on stdio with one tool: touch {path}, which makes an empty file.

import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const path = { type: 'string', description: 'Absolute path of the file' }
const touch = { name: 'touch', description: 'Make an empty file', inputSchema: { type: 'object', properties: { path }, required: ['path'] } }
const methods = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'files', version: '1' } }),
  'tools/list': () => ({ tools: [touch] }),
  'tools/call'({ arguments: { path } }) {
    appendFileSync(path, 'x')
    return { content: [{ type: 'text', text: `made ${path}` }] }
  },
  ping: () => ({}),
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const answer = methods[method] ? { result: methods[method](params ?? {}) } : { error: { code: -32601, message: 'no such method' } }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\n')
})
