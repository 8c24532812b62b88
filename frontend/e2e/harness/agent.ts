import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

/** What came of a tool call. */
export interface Outcome {
  text: string
  isError: boolean
}

/** A call on its way, and how often the desk said that it still waits. */
export interface Flight {
  outcome: Promise<Outcome>
  progress: () => number
  /** Stops waiting, as a program that gives up does. */
  abort: () => void
}

/** An agent program: the official MCP client, speaking to the desk. */
export class Agent {
  readonly #client = new Client({ name: 'e2e-agent', version: '1.0.0' })
  readonly #transport: StreamableHTTPClientTransport

  constructor(url: string, token: string, server = 'filesystem') {
    this.#transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp/${server}`), {
      requestInit: { headers: { Authorization: `Bearer ${token}` } },
    })
  }

  async connect(): Promise<this> {
    // The class has optional properties of another strictness than the interface.
    await this.#client.connect(this.#transport as Parameters<Client['connect']>[0])
    return this
  }

  async tools(): Promise<string[]> {
    return (await this.#client.listTools()).tools.map(({ name }) => name)
  }

  call(name: string, input: Record<string, unknown>): Flight {
    const stop = new AbortController()
    let heard = 0
    const outcome = this.#client
      .callTool({ name, arguments: input }, undefined, {
        signal: stop.signal,
        timeout: 50_000,
        resetTimeoutOnProgress: true,
        onprogress: () => {
          heard++
        },
      })
      .then((result) => ({ text: textOf(result.content), isError: result.isError === true }))
    outcome.catch(() => undefined)
    return {
      outcome,
      progress: () => heard,
      abort: () => {
        stop.abort('the agent gives up')
      },
    }
  }

  async close(): Promise<void> {
    await this.#client.close()
  }
}

function textOf(content: unknown): string {
  const parts = content as { type: string; text?: string }[]
  return parts.map((part) => part.text ?? '').join('\n')
}
