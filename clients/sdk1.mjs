// The TypeScript SDK, 1.x.

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { abilities, faceOf, answers } from './sdk.mjs'

export const name = 'TypeScript SDK 1'

/** Connects to the server at a way, under a name; roots are what the client tells of itself. See faceOf. */
export async function open(way, { client: called = 'sdk1', roots = [] } = {}) {
  const client = new Client({ name: called, version: '1.0.0' }, { capabilities: abilities })
  const answer = answers(roots)
  client.setRequestHandler(CreateMessageRequestSchema, answer.sampling)
  client.setRequestHandler(ElicitRequestSchema, answer.elicitation)
  client.setRequestHandler(ListRootsRequestSchema, answer.roots)
  await client.connect(
    way.kind === 'stdio'
      ? new StdioClientTransport({ command: way.command, args: way.args, stderr: 'ignore' })
      : new StreamableHTTPClientTransport(new URL(way.url), { requestInit: { headers: way.headers } }),
  )
  return faceOf(client, (params, options) => client.callTool(params, undefined, options))
}
