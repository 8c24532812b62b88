// The TypeScript SDK, 2.x, as it comes: it speaks the eras before 2026-07-28.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { abilities, faceOf, answers } from './sdk.mjs'

export const name = 'TypeScript SDK 2'

/** Connects to the server at a way, as in sdk1; versions is the choice of era. */
export async function open(way, { client: called = 'sdk2', roots = [], versions } = {}) {
  const client = new Client({ name: called, version: '1.0.0' }, { capabilities: abilities, versionNegotiation: versions })
  const answer = answers(roots)
  client.setRequestHandler('sampling/createMessage', answer.sampling)
  client.setRequestHandler('elicitation/create', answer.elicitation)
  client.setRequestHandler('roots/list', answer.roots)
  await client.connect(
    way.kind === 'stdio'
      ? new StdioClientTransport({ command: way.command, args: way.args, stderr: 'ignore' })
      : new StreamableHTTPClientTransport(new URL(way.url), { requestInit: { headers: way.headers } }),
  )
  return faceOf(client, (params, options) => client.callTool(params, options))
}
