// Mastra's MCPClient.

import { MCPClient } from '@mastra/mcp'

export const name = 'Mastra'

let count = 0

/** Connects to the server at a way; timeout, in milliseconds, is for all that the client asks. call takes a signal. */
export async function open(way, { timeout } = {}) {
  const server =
    way.kind === 'stdio'
      ? { command: way.command, args: way.args, stderr: 'ignore' }
      : // Its own 3 s to connect are short on a machine that is busy with other clients.
        { url: new URL(way.url), requestInit: { headers: way.headers }, connectTimeout: 60_000 }
  const client = new MCPClient({ id: `clients-${++count}`, servers: { s: server }, timeout })
  const { tools, errors } = await client.listToolsWithErrors()
  if (errors.s) throw new Error(`Mastra: ${errors.s}`)
  return {
    tools: () => client.listToolDefinitionsWithErrors(),
    prompts: () => client.prompts.listWithErrors(),
    resources: () => client.resources.listWithErrors(),
    templates: () => client.resources.templatesWithErrors(),
    prompt: (prompt, args) => client.prompts.get({ serverName: 's', name: prompt, args }),
    resource: (uri) => client.resources.read('s', uri),
    call: async (tool, args, { signal } = {}) => tools[`s_${tool}`].execute(args, { abortSignal: signal }),
    close: () => client.disconnect(),
  }
}
