// The client against a real desk: what runs, how often, and what is told of what does not.

import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { after, before } from 'node:test'
import { Desk, DeskError, importConfig, words } from '@sekisho/client'
import { clock } from './clock.mjs'
import { deskWith, pause, test } from './person.mjs'

let desk
let client
before(async () => {
  desk = await deskWith()
  client = new Desk(desk.options)
})
after(async () => {
  client.close()
  await desk.end()
})

let calls = 0
const question = (toolName, input = {}, more = {}) => ({
  runId: 'run-1',
  toolCallId: `call-${++calls}`,
  toolName,
  input,
  ...more,
})
const pay = (input, more) => question('pay', input, more)

/** Runs a call that counts its executions. */
function counted(asked, o, by = client) {
  const run = { times: 0 }
  run.done = by.guarded(asked, (input) => (run.times++, { ran: input }), o)
  run.done.catch(() => {})
  return run
}

test('a rule allows: it runs at once, and the desk has the result', async () => {
  const run = counted(question('read_file', { path: 'a' }))
  assert.deepEqual(await run.done, { ran: { path: 'a' } })
  assert.equal(run.times, 1)
  assert.equal((await desk.calls('completed')).length, 1)
})

test('a person approves: it runs once', async () => {
  const run = counted(pay({ amount: 1 }))
  await desk.waiting()
  assert.equal(run.times, 0)
  await desk.answerNext({ approved: true })
  assert.deepEqual(await run.done, { ran: { amount: 1 } })
  assert.equal(run.times, 1)
})

test('a person declines: it never runs, and the reason is told', async () => {
  const run = counted(pay({ amount: 2 }))
  await desk.answerNext({ approved: false, reason: 'Too much.' })
  await assert.rejects(run.done, { name: 'DeskError', code: 'declined', message: 'Too much.' })
  assert.equal(run.times, 0)
})

test('a rule denies: its note is told', async () => {
  const run = counted(question('delete_file'))
  await assert.rejects(run.done, { code: 'denied', message: 'Nothing is deleted here.' })
  assert.equal(run.times, 0)
})

test('nobody answers: it is told that this is no judgement', async () => {
  const run = counted(pay({ amount: 3 }, { timeoutSeconds: 0.3 }))
  await assert.rejects(run.done, (why) => {
    assert.equal(why.code, 'expired')
    assert.match(why.message, /^Approval timeout: .*not a judgement/)
    return true
  })
  assert.equal(run.times, 0)
})

test('an aborted signal cancels the call', async () => {
  const left = new AbortController()
  const run = counted(pay({ amount: 4 }), { signal: left.signal })
  const [call] = await desk.waiting()
  left.abort(new Error('the user left'))
  await assert.rejects(run.done, { message: 'the user left' })
  assert.equal((await desk.operator('GET', `/v1/calls/${call.id}`)).call.status, 'cancelled')
  assert.equal(run.times, 0)
})

test('an edited input is what runs, and the tool\'s own check reads it', async () => {
  const check = (input) => ({ ...input, checked: true })
  const run = counted(pay({ amount: 5 }), { check })
  await desk.answerNext({ approved: true, input: { amount: 50 } })
  assert.deepEqual(await run.done, { ran: { amount: 50, checked: true } })
})

test('an edited input that the check refuses is a failed result', async () => {
  const asked = pay({ amount: 6 })
  const check = () => {
    throw new TypeError('amount is too large')
  }
  const run = counted(asked, { check })
  await desk.answerNext({ approved: true, input: { amount: 60 } })
  await assert.rejects(run.done, { message: 'amount is too large' })
  assert.equal(run.times, 0)
  await assert.rejects(counted(asked).done, { code: 'failed', message: 'amount is too large' })
})

test('the same call again answers with its result, and does not run', async () => {
  const asked = question('read_file', { path: 'again' })
  await counted(asked).done
  const again = counted(asked)
  assert.deepEqual(await again.done, { ran: { path: 'again' } })
  assert.equal(again.times, 0)
})

test('the same call three times at once runs once, and all have its result', async () => {
  const asked = pay({ amount: 7 })
  let times = 0
  const other = new Desk(desk.options)
  const one = (by) => by.guarded(asked, async () => (times++, await pause(300), 'paid'))
  const all = Promise.all([one(client), one(other), one(client)])
  await desk.answerNext({ approved: true })
  assert.deepEqual(await all, ['paid', 'paid', 'paid'])
  assert.equal(times, 1)
  other.close()
})

test('another input under the same identity is refused', async () => {
  const asked = question('read_file', { path: 'one' })
  await counted(asked).done
  const run = counted({ ...asked, input: { path: 'two' } })
  await assert.rejects(run.done, { status: 409, code: 'call_conflict' })
  assert.equal(run.times, 0)
})

test('a tool that throws has failed at the desk, and is not run again', async () => {
  const asked = question('read_file', { path: 'broken' })
  const broken = client.guarded(asked, () => {
    throw new Error('no such file')
  })
  await assert.rejects(broken, { message: 'no such file' })
  const again = counted(asked)
  await assert.rejects(again.done, { code: 'failed', message: 'no such file' })
  assert.equal(again.times, 0)
})

test('an output that is no JSON is kept as a note', async () => {
  const asked = question('read_file', { path: 'bigint' })
  assert.equal(await client.guarded(asked, () => 10n), 10n)
  const row = await client.guarded(asked, () => assert.fail())
  assert.match(row.note, /cannot be kept/)
})

test('what JSON would change is refused before anything is asked', async () => {
  const cycle = {}
  cycle.self = cycle
  const before = (await desk.calls()).length
  for (const input of [{ n: 1n }, { n: NaN }, { n: Infinity }, cycle, { m: new Map([[1, 2]]) }]) {
    const run = counted(pay(input))
    await assert.rejects(run.done, TypeError)
    assert.equal(run.times, 0)
  }
  assert.equal((await desk.calls()).length, before)
})

test('hostile inputs pass unchanged', async () => {
  const hostile = JSON.parse('{"__proto__":{"a":1},"constructor":"x","big":"9007199254740993","é":"\\u2028"}')
  const run = counted(question('read_file', hostile))
  assert.deepEqual((await run.done).ran, hostile)
  const large = { text: 'x'.repeat(5 << 20) }
  assert.equal((await counted(question('read_file', large)).done).ran.text.length, 5 << 20)
  const lone = counted(question('read_file', { text: '\ud800' }))
  await assert.rejects(lone.done, { status: 400 })
  assert.equal(lone.times, 0)
})

test('an input that is changed while it waits is not run', async () => {
  const input = { amount: 8 }
  const run = counted(pay(input))
  await desk.waiting()
  input.amount = 80
  await desk.answerNext({ approved: true })
  await assert.rejects(run.done, /changed while it waited/)
  assert.equal(run.times, 0)
})

test('a deny rule that comes after the yes revokes it', async () => {
  const asked = pay({ amount: 9 })
  const call = await client.open(asked)
  await desk.answerNext({ approved: true })
  const { rule } = await desk.operator('POST', '/v1/rules', {
    toolName: 'pay', effect: 'deny', priority: 99, note: 'No payments today.',
  })
  const run = counted(asked)
  await assert.rejects(run.done, { code: 'revoked', message: 'No payments today.' })
  assert.equal(run.times, 0)
  assert.equal((await client.call(call.id)).status, 'revoked')
  await desk.operator('DELETE', `/v1/rules/${rule.id}`)
})

test('a person lets a call in doubt run again: once', async () => {
  const asked = pay({ amount: 10 })
  const call = await client.open(asked)
  await desk.answerNext({ approved: true })
  await client.claim(await client.call(call.id), 'a process that dies', 1)
  const doubt = counted(asked)
  await assert.rejects(doubt.done, { code: 'in_doubt', message: /may have run; do not repeat/ })
  await desk.operator('POST', `/v1/calls/${call.id}/resolve`, { action: 'retry' })
  const again = counted(asked)
  await again.done
  const third = counted(asked)
  await third.done
  assert.equal(doubt.times + again.times + third.times, 1)
})

test('a claim answered twice is one claim', async () => {
  const asked = question('read_file', { path: 'claimed' })
  const call = await client.open(asked)
  const one = await client.claim(call, 'key')
  const two = await client.claim(call, 'key')
  assert.equal(one.claimId, two.claimId)
  await assert.rejects(client.claim(call, 'another'), { status: 409, code: 'already_claimed' })
  await client.result(call.id, one.claimId, true, 'done')
  assert.equal((await client.result(call.id, one.claimId, true, 'done')).status, 'completed')
})

test('runs and sessions are withdrawn, and events tell of it', async () => {
  const stop = new AbortController()
  const seen = []
  const reading = (async () => {
    for await (const event of client.events(stop.signal)) seen.push(event.type)
  })()
  const run = counted(pay({ amount: 11 }, { runId: 'run-2' }))
  await desk.waiting()
  assert.equal((await client.cancelRun('run-2')).cancelled, 1)
  await assert.rejects(run.done, { code: 'cancelled', message: 'Approval request was cancelled' })
  const other = counted(pay({ amount: 12 }, { runId: 'run-3', sessionId: 'chat-3' }))
  await desk.waiting()
  assert.equal((await client.endSession('chat-3')).cancelled, 1)
  await assert.rejects(other.done, { code: 'cancelled' })
  while (!seen.includes('call.decided') && !seen.includes('call.changed')) await pause(30)
  stop.abort()
  await reading
})

test('words are never empty, and at most 4,000 characters', () => {
  for (const status of ['denied', 'declined', 'expired', 'cancelled', 'revoked', 'in_doubt', 'failed']) {
    for (const reason of ['', 'x'.repeat(9000)]) {
      const said = words({ status, decision: { reason }, why: { reason } })
      assert.ok(said.length > 0 && said.length <= 4000, status)
    }
  }
})

test('a configuration becomes rules that ask where its condition is false', async () => {
  const document = importConfig({
    defaultAutoApprove: false,
    rules: [
      { toolName: 'pay', autoApprove: true, condition: 'input.amount < 100' },
      { pattern: 'drop_*', autoApprove: false, condition: 'input.x == 1' },
      { pattern: '*', autoApprove: true },
    ],
  })
  const other = await deskWith([])
  const diff = await other.operator('POST', '/v1/policy/diff', { document, mode: 'merge' })
  assert.ok(diff)
  const accept = document.rules.filter((rule) => rule.effect === 'allow').map((rule) => rule.id)
  await other.operator('POST', '/v1/policy/import', { document, mode: 'merge', accept })
  const asking = new Desk(other.options)
  const decided = async (toolName, input) => (await asking.evaluate({ toolName, input })).decision
  assert.equal(await decided('pay', { amount: 5 }), 'allow')
  assert.equal(await decided('pay', { amount: 5000 }), 'ask')
  assert.equal(await decided('drop_table', { x: 2 }), 'ask')
  assert.equal(await decided('drop_table', { x: 1 }), 'ask')
  assert.equal(await decided('other', {}), 'allow')
  asking.close()
  await other.end()
  const condition = () => true
  const rule = { toolName: 'a', autoApprove: true }
  const refused = { defaultAutoApprove: true, rules: [rule, { ...rule, condition }] }
  assert.throws(() => importConfig(refused), /rules\[1\]\.condition is a function.*CEL/)
  for (const autoApprove of ['false', 1, undefined, null]) {
    const odd = { defaultAutoApprove: true, rules: [{ toolName: 'a', autoApprove }] }
    assert.throws(() => importConfig(odd), /rules\[0\]\.autoApprove is not true or false/)
    const all = { defaultAutoApprove: autoApprove, rules: [] }
    assert.throws(() => importConfig(all), /defaultAutoApprove is not true or false/)
  }
  const both = { toolName: 'a', pattern: 'b_*', autoApprove: true }
  assert.throws(() => importConfig({ defaultAutoApprove: false, rules: [both] }), /rules\[0\] has a toolName and a pattern/)
  const stored = { serverId: null, toolName: null, pattern: 'read_*', autoApprove: true }
  const [read] = importConfig({ defaultAutoApprove: false, rules: [stored] }).rules
  assert.deepEqual([read.toolName, read.toolPattern, read.effect], [null, 'read_*', 'allow'])
})

test('the desk is killed and comes back while a call waits', async () => {
  const other = await deskWith()
  const asking = new Desk(other.options)
  const run = counted(pay({ amount: 13 }), {}, asking)
  await other.waiting()
  other.kill()
  await pause(500)
  await other.start()
  await other.answerNext({ approved: true })
  assert.deepEqual(await run.done, { ran: { amount: 13 } })
  assert.equal(run.times, 1)
  asking.close()
  await other.end()
})

test('the desk is killed and comes back between claim and result', async () => {
  const other = await deskWith()
  const asking = new Desk(other.options)
  const asked = question('read_file', { path: 'kill' })
  let times = 0
  const value = await asking.guarded(asked, async () => {
    times++
    other.kill()
    await pause(300)
    void other.start()
    return 'read'
  })
  assert.equal(value, 'read')
  assert.equal(await asking.guarded(asked, () => times++), 'read')
  assert.equal(times, 1)
  asking.close()
  await other.end()
})

test('a claim is renewed while the tool runs', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const asked = question('read_file', { path: 'long' })
  await client.guarded(asked, async (input, call) => {
    const lease = async () => (await desk.operator('GET', `/v1/calls/${call.id}`)).call.leaseExpiresAt
    const first = await lease()
    await pause(20)
    t.mock.timers.tick(100_000)
    while ((await lease()) <= first) await pause(20)
  })
})

test('a result that cannot be delivered for a minute is thrown, and the call is not run again', async (t) => {
  const other = await deskWith()
  const time = clock(t)
  const asking = new Desk(other.options)
  const asked = question('read_file', { path: 'undelivered' })
  const run = asking.guarded(asked, () => {
    other.kill()
    other.ran('undelivered')
  })
  await assert.rejects(run, { code: 'unreachable', message: /^This call was executed; do not repeat it\..*cannot be reached/ })
  assert.ok(time.passed() > 50 && time.passed() < 70, `${time.passed()} s`)
  await other.start()
  const left = new AbortController()
  const again = asking.guarded(asked, () => other.ran('undelivered'), { signal: left.signal })
  setTimeout(() => left.abort(), 1000)
  await assert.rejects(again)
  assert.deepEqual(other.effectsSoFar(), ['undelivered'])
  assert.equal((await other.calls())[0].status, 'claimed')
  asking.close()
  await other.end()
})

test('a desk whose answers are 5xx is asked again, with the same body and key', async () => {
  const bodies = []
  const broken = createServer(async (q, to) => {
    let body = ''
    for await (const part of q) body += part
    const headers = { authorization: q.headers.authorization, 'content-type': 'application/json' }
    const proof = q.url === '/v1/proof'
    if (!proof) bodies.push(`${q.url} ${body}`)
    if (!proof && bodies.length % 3 !== 0) return void to.writeHead(503).end()
    if (proof) return void whole(to, 200, JSON.stringify({ proof: own(JSON.parse(body)) }))
    const a = await fetch(desk.url + q.url, { method: q.method, headers, body: body || undefined })
    whole(to, a.status, await a.text())
  })
  const sha256 = (data) => createHash('sha256').update(data).digest()
  const own = ({ nonce, address }) =>
    createHmac('sha256', sha256(desk.token)).update(`sekisho-proof-1\n${nonce}\n${address}`).digest('hex')
  await new Promise((resolve) => broken.listen(0, '127.0.0.1', resolve))
  const asking = new Desk({ url: `http://127.0.0.1:${broken.address().port}`, token: desk.token })
  const run = counted(question('read_file', { path: 'broken' }), {}, asking)
  assert.deepEqual(await run.done, { ran: { path: 'broken' } })
  assert.equal(run.times, 1)
  assert.equal(bodies.length, 9)
  assert.equal(new Set(bodies).size, 3)
  await assert.rejects(asking.call('0'), { status: 404 })
  assert.equal(bodies.length, 12) // another 4xx is not asked again
  broken.closeAllConnections()
  broken.close()
  asking.close()
})

test('a desk that is not there: nothing runs, and the error names it', async (t) => {
  const time = clock(t)
  const nobody = new Desk({ url: 'http://127.0.0.1:9', token: 'ska_nothing' })
  const run = counted(question('read_file'), {}, nobody)
  await assert.rejects(run.done, { code: 'unreachable', message: /http:\/\/127\.0\.0\.1:9 cannot be reached/ })
  assert.ok(time.passed() > 5 && time.passed() <= 15)
  assert.equal(run.times, 0)
})

/** Answers as the desk does, with the length said before. */
const whole = (to, status, text) => to.writeHead(status, { 'content-length': Buffer.byteLength(text) }).end(text)

test("a stranger on the desk's port gets no token", async () => {
  const token = 'ska_secret-of-the-agent'
  for (const says of [
    (q, to) => whole(to, 200, JSON.stringify({ proof: '0'.repeat(64) })),
    (q, to) => whole(to, 200, JSON.stringify({ proof: '' })),
    (q, to) => whole(to, 200, '{}'),
    (q, to) => whole(to, 401, '{}'),
    (q, to) => to.end('x'.repeat(20_000)),
    (q, to) => to.destroy(),
  ]) {
    const heard = []
    const stranger = createServer((q, to) => {
      heard.push(`${q.method} ${q.url} ${JSON.stringify(q.headers)}`)
      says(q, to)
    })
    await new Promise((resolve) => stranger.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${stranger.address().port}`
    const asking = new Desk({ url, token })
    const stop = AbortSignal.timeout(400)
    const run = counted(question('read_file'), { signal: stop }, asking)
    await assert.rejects(run.done)
    assert.ok(heard.length > 0)
    assert.ok(heard.every((line) => line.startsWith('POST /v1/proof ') && !line.includes(token)))
    assert.equal(run.times, 0)
    stranger.closeAllConnections()
    stranger.close()
    asking.close()
  }
})

test('a stranger that passes the question on to the desk gets no token', async () => {
  const heard = []
  const stranger = createServer(async (q, to) => {
    let body = ''
    for await (const part of q) body += part
    heard.push(JSON.stringify(q.headers) + body)
    const headers = { 'content-type': 'application/json' }
    const a = await fetch(desk.url + q.url, { method: 'POST', headers, body })
    whole(to, a.status, await a.text())
  })
  await new Promise((resolve) => stranger.listen(0, '127.0.0.1', resolve))
  const asking = new Desk({ url: `http://127.0.0.1:${stranger.address().port}`, token: desk.token })
  await assert.rejects(counted(question('read_file'), { signal: AbortSignal.timeout(800) }, asking).done)
  assert.ok(heard.length > 0 && heard.every((line) => !line.includes(desk.token)))
  stranger.closeAllConnections()
  stranger.close()
  asking.close()
})

test('429 is asked again after Retry-After, other 4xx never', async () => {
  await desk.operator('PATCH', '/v1/settings', { limits: { pendingPerAgent: 1 } })
  const first = counted(pay({ amount: 14 }))
  const [waits] = await desk.waiting()
  const second = counted(pay({ amount: 15 }))
  await pause(300)
  assert.equal((await desk.calls('pending')).length, 1)
  await desk.answer(waits, { approved: true })
  await first.done
  await desk.answerNext({ approved: true })
  await second.done
  assert.equal(second.times, 1)
  await assert.rejects(client.call('0'), (why) => why instanceof DeskError && why.status === 404)
})
