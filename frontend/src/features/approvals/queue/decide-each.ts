import type { Desk } from '../../../desk/desk'
import { DeskError } from '../../../desk/desk-error'
import type { Answer, Call } from '../../../desk/types'

/** What came of answers to many calls. */
export interface Tally {
  done: number
  /** Settled before the answer came. */
  before: number
  /** Still waiting. */
  failed: number
}

export const emptyTally: Tally = { done: 0, before: 0, failed: 0 }

export interface Outcome {
  came: keyof Tally
  call: Call
  /** Other waiting calls that the answer settled. */
  settled: readonly string[]
}

/** What is answered, alike for many calls. */
export type Alike = Pick<Answer, 'approved' | 'reason' | 'scope' | 'forSeconds'>

/** How many answers are on their way at once. */
const atOnce = 6

/** Answers each of many calls with its own hash and rev, a few at a time, and tells what came of each. */
export async function decideEach(desk: Desk, calls: readonly Call[], answer: Alike, tell: (outcome: Outcome) => void): Promise<Tally> {
  const tally = { ...emptyTally }
  const left = [...calls]
  const work = async () => {
    for (let call = left.shift(); call; call = left.shift()) {
      const outcome = await decideOne(desk, call, answer)
      tally[outcome.came]++
      tally.done += outcome.settled.length
      tell(outcome)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return tally
}

async function decideOne(desk: Desk, call: Call, answer: Alike): Promise<Outcome> {
  try {
    const { call: now, settled } = await desk.decide(call.id, { ...answer, inputHash: call.inputHash, rev: call.rev })
    return { came: 'done', call: now, settled }
  } catch (thrown) {
    const { code, call: now } = DeskError.from(thrown)
    if (now && now.status !== 'pending') return { came: 'before', call: now, settled: [] }
    // A no is meant for the call whatever became of it; a yes for what was shown.
    if (code === 'stale' && now && now.rev !== call.rev && !answer.approved) return decideOne(desk, now, answer)
    return { came: code === 'not_found' ? 'before' : 'failed', call, settled: [] }
  }
}
