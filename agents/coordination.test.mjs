// Two real command-line agents at the desk's server of coordination, behind "sekisho mcp": a coordinator that gets a
// passkey for a worker, and the worker, which begins its session by a file and does its task.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDesk, programs } from '../clients/desk.mjs'
import { Place, configure, launch } from './agents.mjs'
import { openModel } from './model.mjs'

/** Lets a client play a script with coordination as its one server; gives all that its model was told. */
async function plays(name, desk, token, script, session) {
  const place = new Place()
  const model = await openModel(script)
  place.write('token', token)
  if (session) place.writeBelow('session', session, 0o600)
  const more = session ? ['--session-file', join(place.root, 'session')] : []
  const args = ['--desk', desk.url, '--token-file', join(place.home, 'token'), 'mcp', '--server', 'coordination', ...more]
  configure(name, place, model, {
    servers: { coordination: { command: programs.sekisho, args } },
    settings: { claude: { permissions: { allow: ['mcp__coordination'] } } }[name],
  })
  const client = launch(name, place, model, { within: 150_000 })
  try {
    const { code, stderr } = await client.ended
    assert.equal(code, 0, stderr)
    return { told: model.results.map(({ text }) => text).join('\n'), offered: JSON.stringify(model.requests), session: session && place.read('session') }
  } finally {
    client.kill()
    await model.end()
    place.end()
  }
}

test('a coordinator and a worker bring a task to its end', { timeout: 400_000 }, async () => {
  const home = new Place()
  const desk = await openDesk([], home.env)
  try {
    await desk.operator('PATCH', '/v1/coordination', { on: true })
    const agent = async (name) => desk.operator('POST', '/v1/agents', { name })
    const [boss, worker] = [await agent('boss'), await agent('worker')]
    await desk.operator('PATCH', `/v1/agents/${boss.agent.id}`, { role: 'coordinator' })
    await desk.operator('PUT', '/v1/projects/p', { members: { [worker.agent.id]: 'worker' } })
    await desk.operator('POST', '/v1/projects/p/tasks', { title: 'Write the notes', assigneeId: worker.agent.id })

    const asked = await plays('claude', desk, boss.token, [
      [{ tool: /list_managed_agents$/, input: {} }],
      [{ tool: /get_agent_action$/, input: { agent_id: worker.agent.id, project_id: 'p' } }],
      'Done.',
    ])
    assert.match(asked.told, /"waiting_for":"task"/)
    assert.doesNotMatch(asked.offered, /report_completed/)
    const [passkey] = /skp_[\w-]+/.exec(asked.told)

    const done = await plays(
      'gemini',
      desk,
      worker.token,
      [
        [{ tool: /get_next_action$/, input: { timeout_seconds: 5 } }],
        [{ tool: /get_my_task$/, input: {} }],
        [{ tool: /report_completed$/, input: { result: 'success', summary: 'The notes are written.' } }],
        'Done.',
      ],
      passkey,
    )
    assert.match(done.told, /"action":"work"/)
    assert.match(done.told, /Write the notes/)
    assert.match(done.session, /^sks_/)
    const { tasks } = await desk.operator('GET', '/v1/projects/p/tasks')
    assert.deepEqual(tasks.map(({ state, summary }) => [state, summary]), [['done', 'The notes are written.']])
    const { calls } = await desk.operator('GET', '/v1/calls')
    assert.deepEqual(calls.map(({ toolName, status }) => [toolName, status]).sort(), [['get_agent_action', 'completed'], ['report_completed', 'completed']])
    assert.doesNotMatch(JSON.stringify(calls), /skp_|sks_/)
  } finally {
    await desk.end()
    home.end()
  }
})
