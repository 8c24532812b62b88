// Runs a function once, if the desk lets it.

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { DeskError, toJson, type Call, type Question } from './api.js'
import type { Desk } from './index.js'
import { words } from './words.js'

/** What is run: it gets the input that was decided, and the call. */
export type Guarded<T> = (input: never, call: Call) => T | PromiseLike<T>

export interface GuardOptions {
  /** Aborting it cancels the call, unless it runs already. */
  signal?: AbortSignal
  /** Makes the function's input of one that a person edited, or throws. */
  check?: (input: unknown) => unknown
}

const lease = 300 // of a claim, in seconds

export async function guarded<T>(
  desk: Desk,
  question: Question,
  fn: Guarded<T>,
  o: GuardOptions,
): Promise<T> {
  const { signal } = o
  const asked = toJson(question.input)
  const key = randomUUID()
  let call = await desk.open(question, signal)
  for (;;) {
    call = await desk.settled(call, signal)
    if (call.status === 'claimed') {
      await sleep(250, undefined, { signal }) // it runs elsewhere
      call = await desk.call(call.id, { patience: 60_000, signal })
      continue
    }
    if (call.status !== 'approved') break
    try {
      call = await desk.claim(call, key, lease)
    } catch (why) {
      // What stays approved, and yet is not to be claimed, would be asked for without an end.
      if (!(why instanceof DeskError && why.call) || why.call.status === 'approved') throw why
      call = why.call
      continue
    }
    if (call.status === 'claimed') return run(desk, call, key, asked, question.input, fn, o)
  }
  if (call.status === 'completed') return call.result as T
  const failure = (call.result as { error?: unknown } | null)?.error || 'the call has failed'
  const text = call.status === 'failed' ? String(failure).slice(0, 4000) : words(call)
  throw new DeskError(text, 0, call.status, call)
}

async function run<T>(
  desk: Desk,
  call: Call,
  key: string,
  asked: string,
  input: unknown,
  fn: Guarded<T>,
  o: GuardOptions,
): Promise<T> {
  const renew = () => void desk.claim(call, key, lease, { patience: 1 }).catch(() => {})
  const renewing = setInterval(renew, (lease / 3) * 1000)
  let outcome: { ok: true; value: T } | { ok: false; error: unknown }
  try {
    if (call.original) input = o.check ? await o.check(call.input) : call.input
    else if (toJson(input) !== asked) throw new Error('the input was changed while it waited')
    o.signal?.throwIfAborted()
    outcome = { ok: true, value: await fn(input as never, call) }
  } catch (error) {
    outcome = { ok: false, error }
  }
  clearInterval(renewing)
  try {
    await report(desk, call, outcome)
  } catch (why) {
    if (!(why instanceof DeskError)) throw why
    // A model must not take this for a call that did not run.
    const text = 'This call was executed; do not repeat it. Its result is not at the desk:'
    throw new DeskError(`${text} ${why.message}`, why.status, why.code, call, { cause: why })
  }
  if (!outcome.ok) throw outcome.error
  return outcome.value
}

/** Reports an outcome; one whose output the desk does not take is reported without it. */
async function report(
  desk: Desk,
  call: Call,
  outcome: { ok: true; value: unknown } | { ok: false; error: unknown },
): Promise<void> {
  const { ok } = outcome
  const claimId = call.claimId ?? ''
  const why = (error: unknown) => (error instanceof Error ? error.message : String(error))
  try {
    await desk.result(call.id, claimId, ok, ok ? outcome.value : { error: why(outcome.error) })
  } catch (error) {
    const refused = error instanceof DeskError ? [400, 413, 422].includes(error.status) : true
    if (!refused) throw error
    await desk.result(call.id, claimId, ok, { note: `the output cannot be kept: ${why(error)}` })
  }
}
