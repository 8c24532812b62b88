// An agent in a process of its own, to be killed while its call is held.
// usage: node agent-process.mjs URL TOKEN TOOL INPUT
import process from 'node:process'
import { URL } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const [url, token, name, input] = process.argv.slice(2)
const client = new Client({ name: 'e2e-agent-process', version: '1.0.0' })
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }))
process.stdout.write(JSON.stringify(await client.callTool({ name, arguments: JSON.parse(input) })))
await client.close()
