// Programs and a desk that are killed -9 at random: nothing unapproved, nothing twice, nothing lost.

import assert from 'node:assert/strict'
import { pause } from './person.mjs'

/**
 * Kills a desk and the programs that run with it so many times. `program(runId, toolName, turn)`
 * starts one that says `Done.` at its end; one that was killed is started again. Between two kills
 * are `most` milliseconds or less. Of the tools read_it is allowed, pay_yes is approved and pay_no
 * declined.
 */
export async function chaos(desk, program, kills, { lanes = 3, most = 1500 } = {}) {
  const tools = ['read_it', 'pay_yes', 'pay_no']
  const callsOf = async (runId) => (await desk.operator('GET', `/v1/calls?runId=${runId}`)).calls
  const runs = []
  const alive = new Set()
  let killed = 0
  let over = false
  const person = (async () => {
    while (!over || alive.size > 0) {
      for (const call of await desk.calls('pending').catch(() => [])) {
        const approved = call.toolName === 'pay_yes'
        await desk.answer(call, { approved, reason: approved ? '' : 'No.' }).catch(() => {})
      }
      await pause(50)
    }
  })()
  const lane = async (n) => {
    for (let turn = n; !over; turn += lanes) {
      const run = { runId: `chaos-${turn}`, tool: tools[turn % tools.length], done: false }
      runs.push(run)
      while (!run.done) {
        const p = program(run.runId, run.tool, turn)
        alive.add(p)
        // A call that was killed inside its tool is claimed until its lease ends: nobody runs it.
        let ended = false
        void (async () => {
          while (!over) await pause(200)
          for (let i = 0; i < 100 && !ended; i++) await pause(200)
          if (!ended) p.kill()
        })()
        run.done = /Done\./.test(await p.said)
        ended = true
        alive.delete(p)
        const [row] = await callsOf(run.runId).catch(() => [])
        if (row?.status === 'claimed' && !run.done) break
      }
    }
  }
  const all = Promise.all(Array.from({ length: lanes }, (_, n) => lane(n)))
  all.catch(() => {})
  while (killed < kills) {
    await pause(100 + Math.random() * most)
    const living = [...alive]
    if (killed % 5 === 4) {
      desk.kill()
      await desk.start()
    } else if (living.length > 0) {
      living[Math.floor(Math.random() * living.length)].kill()
    } else continue
    killed++
  }
  over = true
  await all
  await person

  const effects = desk.effectsSoFar()
  const counts = { kills: killed, runs: runs.length, completed: 0, declined: 0, doubtful: 0 }
  for (const { runId, tool, done } of runs) {
    const ran = effects.filter((line) => line.startsWith(`${runId}/`)).length
    const own = await callsOf(runId)
    assert.ok(ran <= 1, `${runId} ran ${ran} times`)
    assert.ok(own.length <= 1, `${runId} has ${own.length} calls`)
    const status = own[0]?.status
    if (tool === 'pay_no') assert.equal(ran, 0, `${runId} ran, and was declined`)
    if (['claimed', 'in_doubt'].includes(status)) {
      counts.doubtful++ // killed inside its tool
    } else {
      assert.ok(done, `${runId} is ${status}, and did not end`)
      const want = tool === 'pay_no' ? 'declined' : 'completed'
      assert.equal(status, want, runId)
      if (want === 'completed') assert.equal(ran, 1, `${runId} is lost`)
      counts[want]++
    }
  }
  return counts
}
