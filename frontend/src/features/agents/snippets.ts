/** What to paste into an agent's MCP configuration. */

/** For a client that starts a program for each server. */
export function stdioSnippet(server: string, agent: string): string {
  return pretty({ command: 'sekisho', args: ['mcp', '--server', server, '--agent', agent] })
}

/** For a client that starts a program for each server, all of them in one session: its passkey is in a file. */
export function sessionSnippet(server: string, agent: string, file: string): string {
  return pretty({ command: 'sekisho', args: ['mcp', '--server', server, '--agent', agent, '--session-file', file] })
}

/** What the tool `authenticate` of the desk's own server is called with, over a connection that lasts. */
export function authenticateSnippet(agentId: string, passkey: string, projectId: string): string {
  return pretty({ agent_id: agentId, passkey, project_id: projectId })
}

/** For a client that speaks HTTP. url is where agents reach the desk. */
export function httpSnippet(url: string, server: string, token: string): string {
  return pretty({ type: 'http', url: `${url}/mcp/${encodeURIComponent(server)}`, headers: { Authorization: `Bearer ${token}` } })
}

function pretty(entry: object): string {
  return JSON.stringify(entry, null, 2)
}
