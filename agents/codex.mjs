// Codex's app-server: what a person does on its screens is done here by its own requests.

import { createInterface } from 'node:readline'
import { launch } from './agents.mjs'

/** Starts an app-server. request gives an answer's result; asked is called with each request that Codex makes. */
export async function appServer(place, model, asked = () => ({ decision: 'decline' })) {
  const run = launch('codex', place, model, { args: ['app-server'], stdin: 'pipe', within: 120_000 })
  const waiting = new Map()
  const notes = []
  const send = (message) => run.child.stdin.write(JSON.stringify(message) + '\n')
  createInterface({ input: run.child.stdout }).on('line', (line) => {
    const message = JSON.parse(line)
    if (message.method !== undefined && message.id !== undefined) send({ id: message.id, result: asked(message) })
    else if (message.id !== undefined) waiting.get(message.id)?.(message)
    else notes.push(message)
  })
  let last = 0
  const request = async (method, params) => {
    const id = ++last
    const answer = new Promise((resolve) => waiting.set(id, resolve))
    send({ id, method, params })
    const { result, error } = await Promise.race([answer, run.ended.then(() => ({ error: 'Codex ended' }))])
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result
  }
  await request('initialize', { clientInfo: { name: 'sekisho-agents', version: '1' } })
  send({ method: 'initialized' })
  return { request, notes, end: run.kill, ended: run.ended }
}

/** Trusts every hook that Codex knows in a place, as a person does with /hooks. */
export async function trustHooks(place, model) {
  const server = await appServer(place, model)
  const { data } = await server.request('hooks/list', { cwds: [place.work] })
  for (const { key, currentHash } of data[0].hooks) {
    const value = { [key]: { trusted_hash: currentHash } }
    await server.request('config/batchWrite', { edits: [{ keyPath: 'hooks.state', value, mergeStrategy: 'upsert' }] })
  }
  const after = await server.request('hooks/list', { cwds: [place.work] })
  server.end()
  await server.ended
  return { before: data[0].hooks, after: after.data[0].hooks }
}
