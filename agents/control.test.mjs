// The control protocol with the real Claude Code: sekisho run stands between it and its desk.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDesk, pause, programs } from '../clients/desk.mjs'
import { Place, configure, launch } from './agents.mjs'
import { openModel } from './model.mjs'

const touch = [{ shell: 'touch nonce' }]
const rule = (effect, more) => ({ effect, serverId: null, toolName: null, toolPattern: null, priority: 1, ...more })
const options = ['Red', 'Blue'].map((label) => ({ label, description: label }))
const asks = [{ question: 'Which colour?', header: 'Colour', multiSelect: false, options }]

/** Tests sekisho run of Claude Code, which would run every shell line by itself. */
function check(title, { steps = [touch], rules = [], mode = 'default', flags = [], project, settings }, body) {
  test(`sekisho run: ${title}`, { timeout: 180_000 }, async () => {
    const place = new Place()
    const model = await openModel([...steps, 'Done.'])
    const desk = await openDesk(rules, place.env)
    configure('claude', place, model, { settings: { permissions: { allow: ['Bash'] } } })
    if (project) place.writeBelow('work/.claude/settings.json', project)
    if (settings) await desk.operator('PATCH', '/v1/settings', settings)
    place.write('token', (await desk.operator('POST', '/v1/agents', { name: 'claude' })).token)
    const rows = async () => (await desk.operator('GET', '/v1/calls')).calls
    let ended = false
    const one = {
      desk,
      rows,
      told: () => model.results.map(({ text }) => text).join('\n'),
      made: (file = 'nonce') => existsSync(join(place.work, file)),
      run() {
        const before = [programs.sekisho, '--desk', desk.url, '--token-file', join(place.home, 'token'), 'run', '--']
        const args = ['-p', 'Go on.', ...flags, '--permission-mode', mode, '--model', 'claude-sonnet-4-5']
        const env = { IS_SANDBOX: '1' } // else it refuses the switch for the mode that asks nothing to root
        one.client = launch('claude', place, model, { before, args, within: 120_000, env })
        return one.client.ended.finally(() => (ended = true))
      },
      async waiting(tool) {
        for (; !ended; await pause(100)) {
          const call = (await rows()).find(({ status, toolName }) => status === 'pending' && (!tool || tool === toolName))
          if (call) return (await desk.operator('GET', `/v1/calls/${call.id}`)).call
        }
        throw new Error(`the client ended unasked: ${one.told()} ${(await one.client.ended).stderr}`)
      },
      decide: (call, decision) =>
        desk.operator('POST', `/v1/calls/${call.id}/decision`, { inputHash: call.inputHash, rev: call.rev, ...decision }),
    }
    try {
      await body(one)
    } finally {
      one.client?.kill()
      await desk.end()
      await model.end()
      place.end()
    }
  })
}

check('a rule allows', { rules: [rule('allow')] }, async (one) => {
  const { code, stderr } = await one.run()
  assert.equal(code, 0, stderr)
  assert.ok(one.made())
  assert.deepEqual((await one.rows()).map(({ status, toolName }) => [status, toolName]), [['completed', 'Bash']])
})

check('a person approves', {}, async (one) => {
  const run = one.run()
  const call = await one.waiting()
  assert.ok(!one.made())
  await one.decide(call, { approved: true })
  assert.equal((await run).code, 0)
  assert.ok(one.made())
})

check('a person edits', {}, async (one) => {
  const run = one.run()
  await one.decide(await one.waiting(), { approved: true, input: { command: 'touch other' } })
  await run
  assert.deepEqual([one.made(), one.made('other')], [false, true])
})

check('a person declines, and the reason reaches the model', {}, async (one) => {
  const run = one.run()
  await one.decide(await one.waiting(), { approved: false, reason: 'Not on a Friday, please' })
  await run
  assert.ok(!one.made())
  assert.match(one.told(), /Not on a Friday, please/)
})

check('in the mode that asks nothing', { mode: 'bypassPermissions', flags: ['--allow-dangerously-skip-permissions'] }, async (one) => {
  const run = one.run()
  await one.decide(await one.waiting(), { approved: false, reason: 'No' })
  await run
  assert.ok(!one.made())
})

const project = { disableAllHooks: true, permissions: { allow: ['Bash(*)'], defaultMode: 'acceptEdits' } }
check('whatever the settings of the folder say', { project }, async (one) => {
  const run = one.run()
  await one.decide(await one.waiting(), { approved: false, reason: 'No' })
  await run
  assert.ok(!one.made())
})

check('interrupted', {}, async (one) => {
  const run = one.run()
  const call = await one.waiting()
  process.kill(one.client.child.pid, 'SIGINT')
  await run
  assert.ok(!one.made())
  assert.equal((await one.desk.operator('GET', `/v1/calls/${call.id}`)).call.status, 'cancelled')
})

check('nobody answers', { settings: { deadlines: { low: 3, medium: 3, high: 3 } } }, async (one) => {
  await one.run()
  assert.ok(!one.made())
  assert.deepEqual((await one.rows()).map(({ status }) => status), ['expired'])
})

check('the desk is killed while it asks', {}, async (one) => {
  const run = one.run()
  await one.waiting()
  one.desk.kill()
  await run // the desk has half a minute to come back
  assert.ok(!one.made())
})

check('there is no desk', {}, async (one) => {
  one.desk.kill()
  const { code, stderr } = await one.run()
  assert.notEqual(code, 0)
  assert.match(stderr, /reach the desk/)
  assert.ok(!one.made())
})

check('a question', { steps: [[{ tool: /^AskUserQuestion$/, input: { questions: asks } }]] }, async (one) => {
  const run = one.run()
  const call = await one.waiting('AskUserQuestion')
  assert.ok(call.resumeRequired)
  await one.decide(call, { approved: true, resumeData: { 'Which colour?': 'Blue' } })
  await run
  assert.match(one.told(), /Blue/)
})

for (const mode of ['default', 'acceptEdits', 'bypassPermissions'])
  check(`a plan, and then ${mode}`, {
    steps: [[{ tool: /^ExitPlanMode$/, input: { plan: 'Touch a file.' } }], touch, [{ shell: 'touch later' }]],
    mode: 'plan',
    flags: ['--allow-dangerously-skip-permissions'],
  }, async (one) => {
    const run = one.run()
    await one.decide(await one.waiting('ExitPlanMode'), { approved: true, resumeData: { mode } })
    if (mode === 'bypassPermissions') {
      const { code, stderr } = await run
      assert.equal(code, 0, stderr)
      const ran = (await one.rows()).filter(({ toolName }) => toolName === 'Bash')
      assert.deepEqual(ran.map(({ status, decision: { by, scope } }) => [status, by, scope]), Array(2).fill(['completed', 'grant', 'mode']))
    } else {
      await one.decide(await one.waiting('Bash'), { approved: false, reason: 'No' })
      await one.decide(await one.waiting('Bash'), { approved: false, reason: 'No' })
      await run
    }
    assert.deepEqual([one.made(), one.made('later')], [mode === 'bypassPermissions', mode === 'bypassPermissions'])
  })

check('the end of the grant of the mode that asks nothing', {
  steps: [[{ tool: /^ExitPlanMode$/, input: { plan: 'Touch a file.' } }], [{ shell: 'sleep 3; touch nonce' }], [{ shell: 'touch later' }]],
  mode: 'plan',
  flags: ['--allow-dangerously-skip-permissions'],
}, async (one) => {
  const run = one.run()
  await one.decide(await one.waiting('ExitPlanMode'), { approved: true, resumeData: { mode: 'bypassPermissions' } })
  while (!(await one.rows()).some(({ toolName, status }) => toolName === 'Bash' && status === 'completed')) await pause(100)
  const { grants } = await one.desk.operator('GET', '/v1/grants')
  assert.deepEqual(grants.map(({ scope }) => scope), ['mode'])
  await one.desk.operator('DELETE', `/v1/grants/${grants[0].id}`)
  const call = await one.waiting('Bash')
  await pause(1000)
  await one.decide(call, { approved: false, reason: 'No' })
  const { stdout } = await run
  assert.deepEqual([one.made(), one.made('later')], [true, false])
  assert.match(stdout, /"permissionMode":"bypassPermissions"[^]*"permissionMode":"default"/)
})
