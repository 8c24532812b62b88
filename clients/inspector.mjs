// The inspector's command line: one process for each question.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installed, start } from './desk.mjs'

export const name = 'Inspector'

const program = installed('@modelcontextprotocol/inspector/clients/launcher/build/index.js')

/** Gives the same face for the server at a way; nothing is connected between two questions. kill kills what is asking. */
export async function open(way) {
  const home = mkdtempSync(join(tmpdir(), 'sekisho-inspector-'))
  const config = join(home, 'mcp.json')
  const server = way.kind === 'stdio' ? { command: way.command, args: way.args } : { type: 'streamable-http', url: way.url, headers: way.headers }
  writeFileSync(config, JSON.stringify({ mcpServers: { s: server } }))
  const running = new Set()

  const run = async (method, ...args) => {
    const p = start(
      process.execPath,
      [program, '--cli', '--config', config, '--server', 's', '--format', 'json', '--quiet', '--method', method, ...args],
      {
        env: { PATH: process.env.PATH, HOME: home },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    running.add(p)
    const said = { out: '', err: '' }
    p.child.stdout.on('data', (b) => (said.out += b))
    p.child.stderr.on('data', (b) => (said.err += b))
    const code = await p.ended
    running.delete(p)
    await p.end() // whatever it has left behind
    return { code, out: read(said.out), err: read(said.err) }
  }

  return {
    tools: () => run('tools/list'),
    prompts: () => run('prompts/list'),
    resources: () => run('resources/list'),
    templates: () => run('resources/templates/list'),
    prompt: (prompt, args) => run('prompts/get', '--prompt-name', prompt, '--prompt-args', ...Object.entries(args).map(([k, v]) => `${k}=${v}`)),
    resource: (uri) => run('resources/read', '--uri', uri),
    call: (tool, args) => run('tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args)),
    kill: () => running.forEach((p) => p.kill()),
    close: async () => {
      await Promise.all([...running].map((p) => p.end()))
      rmSync(home, { recursive: true, force: true })
    },
  }
}

function read(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
