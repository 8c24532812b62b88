// A desk to test against, the person who answers there, and a file that counts what ran.

import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test as named } from 'node:test'
import { openDesk, pause } from '../../../clients/desk.mjs'

export { pause }

/** A test that ends after some minutes, whatever it waits for. */
export const test = (name, run, minutes = 3) => named(name, { timeout: minutes * 60_000 }, run)

/** The rules of most tests: read_* runs, delete_* never, all else asks. */
export const rules = [
  { toolPattern: 'read_*', effect: 'allow', priority: 10 },
  { toolPattern: 'delete_*', effect: 'deny', priority: 10, note: 'Nothing is deleted here.' },
]

/** Opens a desk with an agent; `answer` and `waiting` are what its person does. */
export async function deskWith(given = rules) {
  const desk = await openDesk(given)
  const { token } = await desk.agent('app')
  const effects = join(desk.home, 'effects')
  return Object.assign(desk, {
    token,
    options: { url: desk.url, token },
    effects,
    /** Notes that a tool has run. */
    ran: (what) => appendFileSync(effects, `${what}\n`),
    /** What has run, in order. */
    effectsSoFar: () => (existsSync(effects) ? readFileSync(effects, 'utf8').trim().split('\n') : []),
    /** All calls, or those of a status. */
    async calls(status) {
      const { calls } = await desk.operator('GET', '/v1/calls')
      return status ? calls.filter((call) => call.status === status) : calls
    },
    /** Waits until so many calls wait for the person. */
    async waiting(count = 1) {
      for (;;) {
        const calls = await this.calls('pending')
        if (calls.length >= count) return calls
        await pause(30)
      }
    },
    /** Declines what still waits: nothing of one test reaches the next. */
    async clear() {
      for (const call of await this.calls('pending')) await this.answer(call, { approved: false })
    },
    /** A person's answer. */
    answer(call, decision) {
      const { inputHash, rev } = call
      return desk.operator('POST', `/v1/calls/${call.id}/decision`, { inputHash, rev, ...decision })
    },
    /** Answers the one call that waits, as soon as it does. */
    async answerNext(decision) {
      const [call] = await this.waiting()
      return this.answer(call, decision)
    },
  })
}
