// The MCP client of the AI SDK.

import { createMCPClient } from '@ai-sdk/mcp'
import { StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio'

export const name = 'AI SDK'

/** Connects to the server at a way; see faceOf in sdk.mjs for what it gives. call takes signal and timeout. */
export async function open(way, { client: called } = {}) {
  const client = await createMCPClient({
    clientName: called,
    transport:
      way.kind === 'stdio'
        ? new StdioMCPTransport({ command: way.command, args: way.args, stderr: 'ignore' })
        : { type: 'http', url: way.url, headers: way.headers },
  })
  return {
    about: async () => client.initializeResult,
    tools: () => client.listTools(),
    prompts: () => client.experimental_listPrompts(),
    resources: () => client.listResources(),
    templates: () => client.listResourceTemplates(),
    prompt: (prompt, args) => client.experimental_getPrompt({ name: prompt, arguments: args }),
    resource: (uri) => client.readResource({ uri }),
    call: async (tool, args, options) => client.callTool({ name: tool, arguments: args, options }),
    close: () => client.close(),
  }
}
