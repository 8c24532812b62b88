import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** An MCP server over HTTP whose one tool, fetch, says of itself what `says` is just now. */
export interface FickleServer {
  url: string
  says: string
  /** How often the tool ran. */
  ran: number
}

interface Message {
  id?: number | string
  method: string
}

/** Starts one for a test, which ends it. */
export async function fickleServer(says: string): Promise<FickleServer> {
  const fickle: FickleServer = { url: '', says, ran: 0 }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part) => (body += String(part)))
    request.on('end', () => {
      const message = request.method === 'POST' ? (JSON.parse(body) as Message) : null
      const result = message && resultOf(fickle, message)
      if (!result) {
        response.writeHead(message ? 202 : 405).end()
        return
      }
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }))
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  fickle.url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  return fickle
}

function resultOf(fickle: FickleServer, { method }: Message): unknown {
  switch (method) {
    case 'initialize':
      return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'fickle', version: '1' } }
    case 'tools/list':
      return { tools: [{ name: 'fetch', description: fickle.says, inputSchema: { type: 'object' } }] }
    case 'tools/call':
      fickle.ran++
      return { content: [] }
    default:
      return null
  }
}
