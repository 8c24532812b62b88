import { describe, expect, it } from 'vitest'
import { sampleCall, sampleDecision } from '../../test/samples'
import { answered, emptyQueue, noticed, postponed, received, refused, reviewed, unreachable, type QueueState } from './queue-state'

const a = sampleCall({ id: 'a' })
const b = sampleCall({ id: 'b' })
const c = sampleCall({ id: 'c' })

const snapshot = (state: QueueState, rev: number, ...items: (typeof a)[]) => received(state, { rev, items }, 0)
const ids = (state: QueueState) => state.items.map((call) => call.id)

describe('the queue', () => {
  it('shows the oldest of what waits', () => {
    const state = snapshot(emptyQueue, 5, a, b)
    expect([ids(state), state.shownId]).toEqual([['a', 'b'], 'a'])
  })

  it('drops snapshots older than what is shown', () => {
    const state = snapshot(emptyQueue, 5, a, b)
    expect(snapshot(state, 4, a)).toBe(state)
    expect(ids(snapshot(state, 5, b))).toEqual(['b'])
  })

  it('keeps what is shown when others come or go', () => {
    const state = snapshot(snapshot(emptyQueue, 1, b), 2, a, b, c)
    expect(state.shownId).toBe('b')
    expect(snapshot(state, 3, b).shownId).toBe('b')
  })

  it('shows the next after an answer, and never the answered one from an older row', () => {
    let state = snapshot(emptyQueue, 1, a, b)
    state = answered(state, { ...a, rev: 2, status: 'approved', decision: sampleDecision() })
    expect([ids(state), state.shownId, state.notice?.kind]).toEqual([['b'], 'b', 'approved'])
    expect(ids(snapshot(state, 1, a, b))).toEqual(['b'])
    expect(ids(snapshot(state, 9, { ...a, rev: 3 }, b))).toEqual(['a', 'b'])
  })

  it('tells that the shown call was settled elsewhere', () => {
    const state = snapshot(snapshot(emptyQueue, 1, a, b), 2, b)
    expect([state.shownId, state.notice]).toEqual(['b', { kind: 'elsewhere', call: a }])
    expect(noticed(state).notice).toBeNull()
  })

  it('tells that the shown call ran out of time', () => {
    const late = sampleCall({ id: 'a', expiresAt: '2026-01-01T00:05:00.000Z' })
    const shown = received(emptyQueue, { rev: 1, items: [late] }, 0)
    expect(received(shown, { rev: 2, items: [] }, Date.parse('2026-01-01T00:05:00.000Z')).notice?.kind).toBe('expired')
    expect(received(shown, { rev: 2, items: [] }, Date.parse('2026-01-01T00:04:59.000Z')).notice?.kind).toBe('elsewhere')
  })

  it('says nothing of a call that was not shown', () => {
    expect(snapshot(snapshot(emptyQueue, 1, a, b), 2, a).notice).toBeNull()
  })

  it('leaves what was put off alone, and shows what comes new', () => {
    let state = postponed(snapshot(emptyQueue, 1, a, b))
    expect([ids(state), state.shownId]).toEqual([['a', 'b'], null])
    expect(snapshot(state, 2, a, b).shownId).toBeNull()
    state = snapshot(state, 3, a, b, c)
    expect(state.shownId).toBe('c')
    expect(snapshot(state, 4, a, b).shownId).toBeNull()
    expect(reviewed(state).shownId).toBe('a')
    expect(reviewed(state, 'b').shownId).toBe('b')
    expect(reviewed(state, 'gone').shownId).toBe('a')
  })

  it('takes a refusal of a settled call as its end, with the reason', () => {
    const state = refused(snapshot(emptyQueue, 1, a, b), { ...a, rev: 2, status: 'expired' }, { code: 'expired', message: 'late' })
    expect([ids(state), state.shownId, state.notice?.error?.code]).toEqual([['b'], 'b', 'expired'])
  })

  it('knows when the desk cannot be reached, until it can', () => {
    const away = unreachable(snapshot(emptyQueue, 1, a))
    expect([away.unreachable, ids(away)]).toEqual([true, ['a']])
    expect(unreachable(away)).toBe(away)
    expect(snapshot(away, 2, a).unreachable).toBe(false)
  })
})
