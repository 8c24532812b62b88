/** What to paste into an agent's MCP configuration. */

/** For a client that starts a program for each server. */
export function stdioSnippet(server: string, agent: string): string {
  return pretty({ command: 'sekisho', args: ['mcp', '--server', server, '--agent', agent] })
}

/** For a client that speaks HTTP. url is where agents reach the desk. */
export function httpSnippet(url: string, server: string, token: string): string {
  return pretty({ type: 'http', url: `${url}/mcp/${encodeURIComponent(server)}`, headers: { Authorization: `Bearer ${token}` } })
}

function pretty(entry: object): string {
  return JSON.stringify(entry, null, 2)
}
