// The Agent Client Protocol with the real Gemini CLI: sekisho acp stands between it and an editor.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { openDesk, pause, programs } from '../clients/desk.mjs'
import { Place, configure, launch } from './agents.mjs'
import { openModel } from './model.mjs'

/** An editor's side of the protocol: ask gives the answer to a request. What the agent asks of it is refused. */
function editor(child) {
  const waiting = new Map()
  const asked = []
  const say = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, method, result, error } = JSON.parse(line)
    if (method === undefined) return waiting.get(id)?.(result ?? error)
    if (id === undefined) return
    asked.push(method)
    say({ id, error: { code: -32601, message: 'no' } })
  })
  let n = 0
  const ask = (method, params) =>
    new Promise((resolve) => {
      waiting.set(++n, resolve)
      say({ id: n, method, params })
    })
  return { ask, asked }
}

function check(title, line, rules, body) {
  test(`sekisho acp: ${title}`, { timeout: 180_000 }, async () => {
    const place = new Place()
    const model = await openModel([[{ shell: line }], 'Done.'])
    const desk = await openDesk(rules, place.env)
    configure('gemini', place, model)
    place.write('token', (await desk.operator('POST', '/v1/agents', { name: 'gemini' })).token)
    const before = [programs.sekisho, '--desk', desk.url, '--token-file', join(place.home, 'token'), 'acp', '--']
    const args = ['--acp', '--model', 'gemini-2.5-flash']
    const client = launch('gemini', place, model, { before, args, stdin: 'pipe', within: 120_000 })
    try {
      const { ask, asked } = editor(client.child)
      await ask('initialize', { protocolVersion: 1, clientCapabilities: { fs: { readTextFile: false, writeTextFile: false } } })
      const { sessionId } = await ask('session/new', { cwd: place.work, mcpServers: [] })
      const turn = ask('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Go on.' }] })
      const rows = async () => (await desk.operator('GET', '/v1/calls')).calls
      await body({
        turn,
        rows,
        made: () => existsSync(join(place.work, 'nonce')),
        async waiting() {
          for (const until = Date.now() + 60_000; Date.now() < until; await pause(100)) {
            const [call] = (await rows()).filter(({ status }) => status === 'pending')
            if (call) return (await desk.operator('GET', `/v1/calls/${call.id}`)).call
          }
          throw new Error('the desk was not asked')
        },
        decide: (call, approved) =>
          desk.operator('POST', `/v1/calls/${call.id}/decision`, { inputHash: call.inputHash, rev: call.rev, approved }),
      })
      assert.deepEqual(asked, []) // the editor was not
    } finally {
      client.kill()
      await desk.end()
      await model.end()
      place.end()
    }
  })
}

const rule = { effect: 'allow', serverId: null, toolName: 'execute', toolPattern: null, priority: 1 }

check('a rule allows', 'touch nonce', [rule], async (one) => {
  await one.turn
  assert.ok(one.made())
  assert.deepEqual((await one.rows()).map(({ status }) => status), ['completed'])
})

check('a person approves', 'touch nonce', [], async (one) => {
  const call = await one.waiting()
  assert.ok(!one.made())
  assert.deepEqual([call.toolName, call.risk, call.input.command], ['execute', 'medium', 'touch nonce'])
  await one.decide(call, true)
  await one.turn
  assert.ok(one.made())
})

check('a person declines a line whose risk is read from its title', 'rm -rf ~/none; touch nonce', [], async (one) => {
  const call = await one.waiting()
  assert.equal(call.risk, 'high')
  await one.decide(call, false)
  await one.turn
  assert.ok(!one.made())
})
