import { describe, expect, it } from 'vitest'
import type { PendingSnapshot } from '../../../desk/types'
import { sampleCall, sampleDecision } from '../../../test/samples'
import { restMs } from './queue-front'
import * as reduce from './queue-reducers'
import { receive } from './queue-reducers'
import { emptyQueue, type QueueState } from './queue-state'

type Call = ReturnType<typeof sampleCall>

const a = sampleCall({ id: 'a' })
const b = sampleCall({ id: 'b' })
const c = sampleCall({ id: 'c' })
const doubt = sampleCall({ id: 'd', status: 'in_doubt' })

const said = (rev: number, items: Call[], next: string | null = null): PendingSnapshot => ({
  desk: '',
  rev,
  now: '',
  items,
  next,
  declined: [],
})
const snapshot = (state: QueueState, rev: number, ...items: Call[]) => receive(state, said(rev, items), 0)
const ids = (state: QueueState) => state.items.map((call) => call.id)
const inFront = ({ front }: QueueState) => {
  if (front?.kind === 'worn') return `worn ${front.key}`
  return front?.kind === 'flood' ? `flood of ${front.agentId}` : (front?.id ?? null)
}

/** Calls of one agent that came a while apart. */
const many = (count: number, agentId = 'busy', apartMs = 60_000) =>
  Array.from({ length: count }, (_, n) =>
    sampleCall({ id: `${agentId}-${String(n)}`, agentId, agentName: agentId, createdAt: new Date(n * apartMs).toISOString() }),
  )

describe('the queue', () => {
  it('shows the oldest of what waits', () => {
    const state = snapshot(emptyQueue, 5, a, b)
    expect([ids(state), inFront(state)]).toEqual([['a', 'b'], 'a'])
  })

  it('begins anew with another desk, also with one that is further back, and keeps what was put off', () => {
    const later = reduce.postpone(snapshot(emptyQueue, 50, a, b))
    const answered = reduce.settle(later, { ...b, rev: 2, status: 'approved' })
    const restored = receive(answered, { ...said(7, [a, b, c]), desk: 'restored' }, 0)
    expect([ids(restored), restored.rev, inFront(restored)]).toEqual([['a', 'b', 'c'], 7, 'b'])
    expect(ids(receive(restored, { ...said(6, []), desk: 'restored' }, 0))).toEqual(['a', 'b', 'c'])
  })

  it('drops snapshots older than what is shown', () => {
    const state = snapshot(emptyQueue, 5, a, b)
    expect(snapshot(state, 4, a)).toBe(state)
    expect(ids(snapshot(state, 5, b))).toEqual(['b'])
  })

  it('keeps what is shown when others come or go', () => {
    const state = snapshot(snapshot(emptyQueue, 1, b), 2, a, b, c)
    expect(inFront(state)).toBe('b')
    expect(inFront(snapshot(state, 3, b))).toBe('b')
  })

  it('shows the next after an answer, and never the answered one from an older row', () => {
    const state = reduce.settle(snapshot(emptyQueue, 1, a, b), { ...a, rev: 2, status: 'approved', decision: sampleDecision() })
    expect([ids(state), inFront(state), state.restUntil]).toEqual([['b'], 'b', null])
    expect(ids(snapshot(state, 1, a, b))).toEqual(['b'])
    expect(ids(snapshot(state, 9, { ...a, rev: 3 }, b))).toEqual(['a', 'b'])
  })

  it('forgets an answer once no older row of the call can come', () => {
    let state = reduce.settle(snapshot(emptyQueue, 5, a, b), { ...a, rev: 2 })
    state = receive(state, said(5, [b]), 0)
    expect([...state.answered.keys()]).toEqual(['a']) // it may be as old as the answer
    state = receive(state, said(6, [a, b], '200'), 0)
    state = receive(state, said(7, [b], '200'), 0)
    expect([...state.answered.keys()]).toEqual(['a']) // it may wait beyond those that were told
    expect(snapshot(state, 8, b).answered.size).toBe(0)
    const doubtful = reduce.settle(reduce.receiveDoubts(emptyQueue, [doubt], 0), { ...doubt, rev: 2 })
    expect(reduce.receiveDoubts(snapshot(doubtful, 9), [doubt], 0).doubts).toEqual([]) // of those, no snapshot says anything
  })

  it('never shows what an answer of wider scope has settled too', () => {
    const state = reduce.settle(snapshot(emptyQueue, 1, a, b, c), { ...a, rev: 2 }, ['b'])
    expect([ids(state), inFront(state)]).toEqual([['c'], 'c'])
    expect(ids(snapshot(state, 1, a, b, c))).toEqual(['c'])
  })

  it('knows when the desk cannot be reached, until it can', () => {
    const away = reduce.markUnreachable(snapshot(emptyQueue, 1, a))
    expect([away.unreachable, ids(away)]).toEqual([true, ['a']])
    expect(reduce.markUnreachable(away)).toBe(away)
    expect(snapshot(away, 2, a).unreachable).toBe(false)
  })

  it('knows that more wait than it was told', () => {
    expect(receive(emptyQueue, said(1, [a], '200'), 0).more).toBe(true)
    expect(receive(emptyQueue, said(1, [a]), 0).more).toBe(false)
  })
})

describe('a call that is settled elsewhere', () => {
  it('leaves, and for a second nothing takes its place', () => {
    let state = snapshot(emptyQueue, 1, a, b)
    state = receive(state, said(2, [b]), 500)
    expect([inFront(state), state.restUntil, state.notice]).toEqual([null, 500 + restMs, { kind: 'elsewhere', call: a }])
    state = receive(state, said(3, [b, c]), 900)
    expect([inFront(state), state.restUntil]).toEqual([null, 500 + restMs])
    state = reduce.endRest(state)
    expect([inFront(state), state.restUntil]).toEqual(['b', null])
    expect(reduce.notify(state, null).notice).toBeNull()
  })

  it('is no such thing while the answer to it is on its way', () => {
    let state = reduce.markSending(snapshot(emptyQueue, 1, c, a, b), ['a'])
    state = snapshot(state, 2, c, b)
    expect([ids(state), inFront(state), state.notice]).toEqual([['c', 'a', 'b'], 'c', null])
    state = snapshot(reduce.unmarkSending(state, ['a']), 3, c, b)
    expect(ids(state)).toEqual(['c', 'b'])
  })

  it('is not shown while the answer to it is on its way', () => {
    const state = reduce.settle(reduce.markSending(snapshot(emptyQueue, 1, a, b, c), ['a', 'b']), { ...a, rev: 2 })
    expect([ids(state), inFront(state)]).toEqual([['b', 'c'], 'c'])
    const alone = reduce.settle(reduce.markSending(snapshot(emptyQueue, 1, a, b), ['a', 'b']), { ...a, rev: 2 })
    expect(inFront(alone)).toBeNull()
    expect(inFront(snapshot(reduce.unmarkSending(alone, ['b']), 2, b))).toBe('b')
  })

  it('is told to have run out of time by the desk’s clock', () => {
    const late = sampleCall({ id: 'a', expiresAt: '2026-01-01T00:05:00.000Z' })
    const shown = receive(emptyQueue, said(1, [late]), 0)
    const at = Date.parse('2026-01-01T00:05:00.000Z')
    expect(receive(shown, said(2, []), at).notice?.kind).toBe('expired')
    expect(receive(shown, said(2, []), at - 1).notice?.kind).toBe('elsewhere')
    expect(receive({ ...shown, clockOffset: 60_000 }, said(2, []), at - 60_000).notice?.kind).toBe('expired')
  })

  it('is told how it stands once that is known', () => {
    const gone = snapshot(snapshot(emptyQueue, 1, a), 2)
    expect(reduce.learn(gone, { ...a, rev: 2, status: 'declined' }).notice).toMatchObject({
      kind: 'elsewhere',
      call: { status: 'declined' },
    })
    expect(reduce.learn(gone, { ...a, rev: 2, status: 'expired' }).notice?.kind).toBe('expired')
    expect(reduce.learn(gone, { ...b, rev: 2, status: 'declined' })).toBe(gone)
    expect(reduce.learn(gone, a)).toBe(gone)
  })

  it('is not worth a word when it was not shown', () => {
    const state = snapshot(snapshot(emptyQueue, 1, a, b), 2, a)
    expect([state.notice, state.restUntil, inFront(state)]).toEqual([null, null, 'a'])
  })
})

describe('what the person does', () => {
  it('Later leaves alone what waits, and shows what comes new', () => {
    let state = reduce.postpone(snapshot(emptyQueue, 1, a, b))
    expect([ids(state), inFront(state)]).toEqual([['a', 'b'], null])
    expect(inFront(snapshot(state, 2, a, b))).toBeNull()
    state = snapshot(state, 3, a, b, c)
    expect(inFront(state)).toBe('c')
    expect(inFront(reduce.endRest(snapshot(state, 4, a, b)))).toBeNull()
    expect(inFront(reduce.review(state))).toBe('a')
    expect(inFront(reduce.review(state, 'b'))).toBe('b')
    expect(inFront(reduce.review(state, 'gone'))).toBe('a')
  })

  it('do not disturb shows nothing by itself, and one after the other when asked', () => {
    let state = snapshot(reduce.setQuiet(emptyQueue, true), 1, a, b)
    expect(inFront(state)).toBeNull()
    state = reduce.review(state)
    expect(inFront(state)).toBe('a')
    state = reduce.settle(state, { ...a, rev: 2 })
    expect(inFront(state)).toBe('b')
    state = reduce.settle(state, { ...b, rev: 2 })
    expect(inFront(snapshot(state, 2, c))).toBeNull()
    expect(inFront(reduce.setQuiet(snapshot(state, 2, c), false))).toBe('c')
  })

  it('do not disturb leaves what is shown, and what is put off stays so', () => {
    const state = reduce.setQuiet(snapshot(emptyQueue, 1, a, b), true)
    expect(inFront(state)).toBe('a')
    expect(inFront(reduce.settle(state, { ...a, rev: 2 }))).toBeNull()
    expect(inFront(snapshot(reduce.postpone(reduce.review(state)), 2, a, b, c))).toBeNull()
  })
})

describe('a flood', () => {
  it('is more than twenty calls of one agent, or ten within two seconds', () => {
    expect(inFront(snapshot(emptyQueue, 1, ...many(20)))).toBe('busy-0')
    expect(inFront(snapshot(emptyQueue, 1, ...many(21)))).toBe('flood of busy')
    expect(inFront(snapshot(emptyQueue, 1, ...many(12, 'busy'), ...many(12, 'other')))).toBe('busy-0')
    expect(inFront(snapshot(emptyQueue, 1, ...many(10, 'busy', 222)))).toBe('flood of busy')
    expect(inFront(snapshot(emptyQueue, 1, ...many(10, 'busy', 223)))).toBe('busy-0')
    expect(inFront(snapshot(emptyQueue, 1, ...many(9, 'busy', 1)))).toBe('busy-0')
  })

  it('stays one card until none waits', () => {
    let state = snapshot(snapshot(emptyQueue, 1, ...many(21)), 2, ...many(3))
    expect(inFront(state)).toBe('flood of busy')
    state = receive(state, said(3, []), 10)
    expect([inFront(state), state.notice, state.restUntil]).toEqual([null, { kind: 'flowedOff', agentName: 'busy' }, 10 + restMs])
    expect(inFront(snapshot(reduce.endRest(state), 4, ...many(3)))).toBe('busy-0')
  })

  it('takes the place of a dialog that nobody has begun with, and its buttons wait', () => {
    const state = receive(snapshot(emptyQueue, 1, ...many(1)), said(2, many(21)), 10)
    expect([inFront(state), state.restUntil]).toEqual(['flood of busy', 10 + restMs])
    expect([inFront(reduce.endRest(state)), reduce.endRest(state).restUntil]).toEqual(['flood of busy', null])
  })

  it('waits behind a dialog that somebody has begun with, or that is another agent’s', () => {
    const begun = reduce.touch(snapshot(emptyQueue, 1, ...many(1)))
    expect(inFront(snapshot(begun, 2, ...many(21)))).toBe('busy-0')
    expect(inFront(reduce.settle(snapshot(begun, 2, ...many(21)), sampleCall({ id: 'busy-0', rev: 2 })))).toBe('flood of busy')
    expect(inFront(snapshot(snapshot(emptyQueue, 1, a), 2, a, ...many(21)))).toBe('a')
  })

  it('is looked at one by one when the person says so, until none is left', () => {
    let state = reduce.unfold(snapshot(emptyQueue, 1, a, ...many(21)), 'busy')
    expect(inFront(state)).toBe('busy-0')
    state = snapshot(state, 2, a, ...many(30))
    expect(inFront(state)).toBe('busy-0')
    state = snapshot(reduce.postpone(state), 3)
    expect(inFront(snapshot(state, 4, ...many(21)))).toBe('flood of busy')
  })

  it('paused waits without a dialog, also what comes new, and never keeps another agent waiting', () => {
    let state = reduce.pause(snapshot(emptyQueue, 1, ...many(21)), { agentId: 'busy', agentName: 'busy' })
    expect([inFront(state), [...state.paused]]).toEqual([null, [['busy', 'busy']]])
    state = snapshot(state, 2, ...many(30), a)
    expect(inFront(state)).toBe('a')
    expect(inFront(reduce.review(state, 'busy-3'))).toBe('busy-3')
    state = snapshot(state, 3)
    expect(state.paused.size).toBe(1)
    state = snapshot(reduce.endRest(state), 4, ...many(2))
    expect(inFront(state)).toBeNull()
    expect(inFront(reduce.resume(state, 'busy'))).toBe('busy-0')
  })
})

describe('a call in doubt', () => {
  const doubted = (state: QueueState, ...doubts: Call[]) => reduce.receiveDoubts(state, doubts, 0)

  it('is shown when nothing waits, and can be put off', () => {
    const state = doubted(emptyQueue, doubt)
    expect(inFront(state)).toBe('d')
    expect(inFront(doubted(reduce.postpone(state), doubt))).toBeNull()
    expect(inFront(reduce.review(reduce.postpone(state), 'd'))).toBe('d')
    expect(inFront(doubted(snapshot(emptyQueue, 1, a), doubt))).toBe('a')
  })

  it('gives its place to a call that waits, after a second, unless the person has begun with it', () => {
    let state = receive(doubted(emptyQueue, doubt), said(1, [a]), 10)
    expect([inFront(state), state.restUntil]).toEqual(['d', 10 + restMs])
    state = reduce.endRest(state)
    expect(inFront(state)).toBe('a')
    expect(inFront(reduce.settle(state, { ...a, rev: 2 }))).toBe('d')
    const begun = snapshot(reduce.touch(doubted(emptyQueue, doubt)), 1, a)
    expect([inFront(begun), begun.restUntil]).toEqual(['d', null])
  })

  it('leaves with a word when its answer comes after all, and never comes back from an older row', () => {
    const state = doubted(doubted(emptyQueue, doubt))
    expect([inFront(state), state.notice]).toEqual([null, { kind: 'elsewhere', call: doubt }])
    const closed = reduce.settle(doubted(emptyQueue, doubt), { ...doubt, rev: 2, status: 'failed' })
    expect([closed.doubts, inFront(closed), inFront(doubted(closed, doubt))]).toEqual([[], null, null])
  })
})
