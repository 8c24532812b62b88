// A client that "sekisho connect" has put before a real desk.

import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { openDesk, pause, programs } from '../clients/desk.mjs'
import { Place, configure, launch, node } from './agents.mjs'
import { trustHooks } from './codex.mjs'
import { openModel } from './model.mjs'

// The client as connect calls it, the file of its hooks, and a second one where the same hooks may stand.
const wired = {
  claude: { id: 'claude-code', hooks: 'home/.claude/settings.json', again: 'work/.claude/settings.json' },
  codex: { hooks: 'home/.codex/hooks.json', again: 'work/.codex/hooks.json' },
  gemini: { hooks: 'home/.gemini/settings.json', again: 'work/.gemini/settings.json' },
  copilot: { hooks: 'home/.copilot/hooks/sekisho.json', again: 'home/.copilot/hooks/again.json' },
  opencode: { hooks: 'home/.config/opencode/plugin/sekisho.js', again: 'work/.opencode/plugin/again.js' },
}

/**
 * A desk, a model that plays the script, and a client that would run every tool by itself. Of the desk, rules are
 * its list; or desk is the address of something else. twice puts the hooks into a second file; mcp gives the client
 * the server "files", which connect puts behind the desk; arguments are added to the line of the hooks; program is the
 * sekisho that connects, and change edits the file of the hooks once it has.
 */
export async function scene(name, { script, rules = [], desk: elsewhere, twice = false, mcp = false, arguments: more, program = programs.sekisho, change: edit }) {
  const door = name.split('-')[0]
  const { id = door, hooks, again } = wired[door]
  const place = new Place()
  const model = await openModel([])
  model.script = [script(place)]
  const desk = await openDesk(rules, place.env)
  configure(name, place, model, {
    servers: mcp ? { files: { command: node, args: [join(import.meta.dirname, 'server.mjs')] } } : {},
    settings: { claude: { permissions: { allow: ['Bash', 'mcp__files'] } } }[door],
  })
  const to = ['--desk', desk.url, '--token-file', desk.operatorFile()]
  execFileSync(program, ['connect', '--yes', '--client', id, ...to], { cwd: place.work, env: place.env, stdio: 'pipe' })
  const change = (from, words) => place.writeBelow(hooks, place.read(hooks).replaceAll(from, words))
  if (elsewhere) change(desk.url, elsewhere)
  if (more) change(/(?= --client)/g, ` ${more}`)
  if (edit) place.writeBelow(hooks, edit(place.read(hooks)))
  // Claude Code runs a line that stands twice once.
  if (twice) place.writeBelow(again, place.read(hooks).replaceAll(/("(?:command|bash)": ")/g, '$1exec '))
  if (door === 'codex') await trustHooks(place, model)

  const rows = async () => (await desk.operator('GET', '/v1/calls')).calls
  let ended = false
  const one = {
    desk,
    model,
    rows,
    /** Starts the client; gives how it ended. */
    run: (options) => {
      ended = false
      one.client = launch(name, place, model, { within: 120_000, ...options })
      return one.client.ended.finally(() => (ended = true))
    },
    /** A call that waits, as soon as there is one; undefined when the client ended without. */
    async waiting() {
      for (; !ended; await pause(100)) {
        const call = (await rows()).find(({ status }) => status === 'pending')
        if (call) return call
      }
    },
    /** The call that waits, once the desk has seen that its client is gone. */
    async left() {
      for (const until = Date.now() + 20_000; Date.now() < until; await pause(100)) {
        const call = (await rows()).find(({ callerGone }) => callerGone)
        if (call) return call
      }
      throw new Error(`nobody has left a call: ${JSON.stringify(await rows())}`)
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
