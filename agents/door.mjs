// What has to hold for each client whose hooks ask at the desk.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pause } from '../clients/desk.mjs'
import { impostor, scene } from './scene.mjs'

const touch = () => [{ shell: 'touch nonce' }]
const three = () => [0, 1, 2].map((n) => ({ shell: `touch nonce${n}` }))
const throughMCP = (place) => [{ tool: /touch$/, input: { path: `${place.work}/nonce` } }]
const rule = (effect, note) => ({ effect, note, serverId: null, toolName: null, toolPattern: null, priority: 1 })
const http = (body) => `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`
const yes = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } }
const lie = http(JSON.stringify({ exit: 0, stdout: JSON.stringify(yes), stderr: '' }))

/** Tests a client; skip says why a test is not for it. */
export function asksAtTheDesk(name, skip = {}) {
  const check = (title, options, body) =>
    test(`${name} ${title}`, { timeout: 180_000, skip: skip[title] }, async () => {
      const one = await scene(name, { script: touch, ...options })
      try {
        await body(one)
      } finally {
        await one.end()
      }
    })

  check('runs what a rule allows', { rules: [rule('allow')] }, async (one) => {
    const { code, stderr } = await one.run()
    assert.equal(code, 0, stderr)
    assert.deepEqual(one.made(), ['nonce'])
    const rows = await one.rows()
    assert.deepEqual(rows.map(({ status, decision }) => [status, decision.by]), [['completed', 'rule']])
    assert.deepEqual(rows[0].result, { handedOver: true })
  })

  check('runs what a person approves, and not before', {}, async (one) => {
    const run = one.run()
    const call = await one.waiting()
    assert.ok(call, `the client ended unasked: ${one.told()}`)
    await pause(1000)
    assert.deepEqual(one.made(), [])
    await one.decide(call, { approved: true })
    await run
    assert.deepEqual(one.made(), ['nonce'])
    assert.deepEqual((await one.rows()).map(({ status, decision }) => [status, decision.by]), [['completed', 'person']])
  })

  check('does not run what a person declines, and the reason reaches the model', {}, async (one) => {
    const run = one.run()
    const call = await one.waiting()
    assert.ok(call, `the client ended unasked: ${one.told()}`)
    await one.decide(call, { approved: false, reason: 'Not on a Friday, please' })
    await run
    assert.deepEqual(one.made(), [])
    assert.match(one.told(), /Not on a Friday, please/)
    assert.deepEqual((await one.rows()).map(({ status }) => status), ['declined'])
  })

  check('does not run what a rule denies, and its note reaches the model', { rules: [rule('deny', 'Files are made by hand here')] }, async (one) => {
    await one.run()
    assert.deepEqual(one.made(), [])
    assert.match(one.told(), /Files are made by hand here/)
  })

  check('does not run with the desk stopped', {}, async (one) => {
    await one.desk.stop()
    await closed(one)
  })

  const elsewhere = (title, answer) =>
    test(`${name} ${title}`, { timeout: 180_000, skip: skip[title] }, async () => {
      const other = await impostor(answer)
      const one = await scene(name, { script: touch, desk: other.url })
      try {
        await closed(one)
        assert.deepEqual(await one.rows(), [])
      } finally {
        await one.end()
        other.end()
      }
    })
  elsewhere('does not run with the desk hanging', undefined)
  elsewhere('does not run with the desk answering garbage', 'yes yes yes\n')
  elsewhere('does not run with a program in place of the desk that says yes', lie)

  check('does not run with the desk killed while asking', {}, async (one) => {
    const run = one.run()
    assert.ok(await one.waiting(), `the client ended unasked: ${one.told()}`)
    one.desk.kill()
    await run
    assert.deepEqual(one.made(), [])
    assert.match(one.told(), /sekisho/i)
  })

  check('is not said to have run what a person approves after its end', {}, async (one) => {
    const run = one.run()
    assert.ok(await one.waiting(), `the client ended unasked: ${one.told()}`)
    one.client.kill()
    await run
    await one.decide(await one.left(), { approved: true })
    await pause(1500)
    assert.deepEqual(one.made(), [])
    assert.deepEqual((await one.rows()).map(({ status, handedOver, result }) => [status, handedOver, result]), [['approved', false, null]])
  })

  check('asks once with the same hooks in two files', { twice: true }, async (one) => {
    const run = one.run()
    const call = await one.waiting()
    assert.ok(call, `the client ended unasked: ${one.told()}`)
    await pause(1500)
    assert.equal((await one.rows()).length, 1)
    await one.decide(call, { approved: true })
    await run
    assert.deepEqual(one.made(), ['nonce'])
    assert.equal((await one.rows()).length, 1)
  })

  check('asks once for a tool of a server behind the desk', { script: throughMCP, mcp: true }, async (one) => {
    const run = one.run()
    const call = await one.waiting()
    assert.ok(call, `the client ended unasked: ${one.told()}`)
    assert.equal(call.serverId, 'files')
    await one.decide(call, { approved: true })
    await run
    assert.equal(one.content('nonce'), 'x')
    assert.equal((await one.rows()).length, 1)
  })

  check('loses none of three tools asked for at once', { script: three }, async (one) => {
    const run = one.run()
    for (let call = await one.waiting(); call; call = await one.waiting()) await one.decide(call, { approved: true })
    await run
    assert.deepEqual(one.made(), ['nonce0', 'nonce1', 'nonce2'])
    assert.deepEqual((await one.rows()).map(({ status }) => status), ['completed', 'completed', 'completed'])
    assert.equal(one.model.results.length, 3)
  })
}

/** Tests that a question which a client leaves for later outlives a restart of the desk and of the client. */
export function asksLater(name) {
  test(`${name} leaves a question for later, over a restart of desk and client`, { timeout: 180_000 }, async () => {
    const one = await scene(name, { script: touch, arguments: '--defer 1' })
    try {
      const first = await one.run()
      const { session_id } = JSON.parse(first.stdout)
      assert.deepEqual((await one.rows()).map(({ status }) => status), ['pending'])
      await one.desk.stop()
      await one.desk.start()
      const call = await one.left()
      await one.decide(call, { approved: true })
      assert.deepEqual(one.made(), [])
      await one.run({ flags: ['--resume', session_id] })
      assert.deepEqual(one.made(), ['nonce'])
      assert.deepEqual((await one.rows()).map(({ id, status }) => [id, status]), [[call.id, 'completed']])
    } finally {
      await one.end()
    }
  })
}

/** The client runs to its end, made nothing, and its model was told who said no. */
async function closed(one) {
  const { stderr } = await one.run()
  assert.deepEqual(one.made(), [])
  assert.match(one.told(), /sekisho/i, stderr)
}
