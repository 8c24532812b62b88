// A client whose hooks ask a real desk, as connect would have wired it.

import { readFileSync, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { bareStdio, openDesk, pause, programs } from '../clients/desk.mjs'
import { Place, configure, launch } from './agents.mjs'
import { trustHooks } from './codex.mjs'
import { openModel } from './model.mjs'

const server = [join(import.meta.dirname, 'server.mjs')]
const plugin = readFileSync(join(import.meta.dirname, '../backend/connect/opencode_plugin.js'), 'utf8')

// The events that connect wires, and a second place where the same hooks may stand.
const wired = {
  claude: { events: ['PreToolUse', 'PermissionRequest'], again: 'work/.claude/settings.json' },
  codex: { events: ['PreToolUse', 'PermissionRequest'], again: 'work/.codex/hooks.json' },
  gemini: { events: ['BeforeTool'], again: 'work/.gemini/settings.json' },
  copilot: { events: ['preToolUse'], again: 'home/.copilot/hooks/again.json' },
  opencode: { events: [] },
}

/**
 * A desk, a model that plays the script, and a client that would run every tool by itself. Of the desk, rules are
 * its list; or desk is the address of something else. twice puts the hooks into a second file; mcp gives the client
 * the server "files" behind the desk.
 */
export async function scene(name, { script, rules = [], desk: elsewhere, twice = false, mcp = false }) {
  const door = name.split('-')[0]
  const place = new Place()
  const model = await openModel([])
  model.script = [script(place)]
  const desk = await openDesk(rules, { HOME: place.home })
  const { file } = await desk.agent(door)
  const to = ['--desk', elsewhere ?? desk.url, '--token-file', file]
  if (mcp) await desk.serve({ files: bareStdio(server) })
  const words = [programs.sekisho, 'hook', '--client', door, ...to]
  const units = (line) => wired[door].events.map((event) => ({ event, command: line, timeout: 660, more: { onFailure: 'block' } }))
  const source = plugin.replace('const command = COMMAND', `const command = ${JSON.stringify(words)}`)
  configure(name, place, model, {
    hooks: units(words.join(' ')),
    again: twice ? { file: wired[door].again, hooks: units(`exec ${words.join(' ')}`) } : undefined,
    plugins: twice ? 2 : 1,
    plugin: source,
    servers: mcp ? { files: { command: programs.sekisho, args: ['mcp', '--server', 'files', ...to] } } : {},
    settings: { claude: { permissions: { allow: ['Bash', 'mcp__files'] } } }[door],
  })
  if (door === 'codex') await trustHooks(place, model)

  const rows = async () => (await desk.operator('GET', '/v1/calls')).calls
  let ended = false
  const one = {
    desk,
    model,
    rows,
    /** Starts the client; gives how it ended. */
    run: () => {
      one.client = launch(name, place, model, { within: 120_000 })
      return one.client.ended.finally(() => (ended = true))
    },
    /** A call that waits, as soon as there is one; undefined when the client ended without. */
    async waiting() {
      for (; !ended; await pause(100)) {
        const call = (await rows()).find(({ status }) => status === 'pending')
        if (call) return call
      }
    },
    decide: (call, decision) => desk.operator('POST', `/v1/calls/${call.id}/decision`, { inputHash: call.inputHash, rev: call.rev, ...decision }),
    /** What the tools made. */
    made: () => readdirSync(place.work).filter((file) => !file.startsWith('.')).sort(),
    content: (file) => readFileSync(join(place.work, file), 'utf8'),
    /** All that the model was told of its tools. */
    told: () => model.results.map(({ text }) => text).join('\n'),
    async end() {
      one.client?.kill()
      await desk.end()
      await model.end()
      place.end()
    },
  }
  return one
}

/** Something that listens where a desk should be; answer is what it writes to whoever speaks to it. */
export async function impostor(answer) {
  const listener = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', () => answer && socket.end(answer))
  })
  await new Promise((resolve) => listener.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${listener.address().port}`, end: () => listener.close() }
}
