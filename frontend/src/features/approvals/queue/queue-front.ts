/** What of all that waits is in front of the person: one thing at a time. */
import type { Call } from '../../../desk/types'
import type { Card, Front, Notice, QueueState } from './queue-state'
import { wornKey } from './worn'

/** How long nothing can be pressed after what was in front went by itself: a press meant for it must not land on what follows. */
export const restMs = 1000

/** What is in front after something that the person did. */
export function chooseFront(state: QueueState): QueueState {
  if (isThere(state, state.front)) return state
  return state.restUntil === null ? showNext(state) : { ...state, front: null, touched: false }
}

/** What is in front after the second in which nothing could be pressed. */
export function chooseAfterRest(state: QueueState): QueueState {
  const next = state.front && overtaking(state, state.front)
  return next ? { ...state, front: next } : chooseFront(state)
}

/** What is in front after something that happened by itself. */
export function advance(before: QueueState, state: QueueState, now: number): QueueState {
  const { front } = state
  if (front && !isThere(state, front)) {
    return { ...state, front: null, touched: false, notice: goneNotice(before, front, now), restUntil: now + restMs }
  }
  if (state.restUntil !== null) return state
  if (front === null) return showNext(state)
  const next = overtaking(state, front)
  if (!next) return state
  // A card takes its place at once and its buttons wait. A dialog's own do not know how to: the old one stays that long.
  return { ...state, front: isCard(next) ? next : front, restUntil: now + restMs }
}

/** What may take the place of something that the person has not begun with. */
function overtaking(state: QueueState, front: Front): Front | null {
  if (state.touched || isCard(front)) return null
  const next = oldest(state)
  if (front.kind === 'doubt') return next
  const call = state.items.find(({ id }) => id === front.id)
  const asked = state.reviewing || call === undefined
  return asked ? null : cardOf(state, call)
}

function isCard(front: Front): front is Card {
  return front.kind === 'flood' || front.kind === 'worn'
}

/** The card that a call is part of. */
function cardOf({ folded, worn }: QueueState, call: Call): Card | null {
  if (folded.has(call.agentId)) return { kind: 'flood', agentId: call.agentId }
  return worn.has(wornKey(call)) ? { kind: 'worn', key: wornKey(call) } : null
}

function showNext(state: QueueState): QueueState {
  if (state.quiet && !state.reviewing) return { ...state, front: null, touched: false }
  const front = oldest(state) ?? oldestDoubt(state)
  return { ...state, front, touched: false, reviewing: state.reviewing && front !== null }
}

/** The oldest call that was not put off, or the card that it is part of. */
function oldest(state: QueueState): Front | null {
  const { items, later, paused, sending } = state
  const call = items.find(({ id, agentId }) => !later.has(id) && !paused.has(agentId) && !sending.has(id))
  if (!call) return null
  return cardOf(state, call) ?? { kind: 'call', id: call.id }
}

function oldestDoubt({ doubts, later }: QueueState): Front | null {
  const call = doubts.find(({ id }) => !later.has(id))
  return call ? { kind: 'doubt', id: call.id } : null
}

function isThere(state: QueueState, front: Front | null): boolean {
  if (front === null) return false
  const has = (calls: readonly Call[], id: string) => calls.some((call) => call.id === id)
  if (front.kind === 'flood') return state.folded.has(front.agentId)
  if (front.kind === 'worn') return state.worn.has(front.key)
  return has(front.kind === 'doubt' ? state.doubts : state.items, front.id)
}

function goneNotice(before: QueueState, front: Front, now: number): Notice | null {
  if (front.kind === 'flood') {
    const call = before.items.find(({ agentId }) => agentId === front.agentId)
    return call ? { kind: 'flowedOff', agentName: call.agentName } : before.notice
  }
  if (front.kind === 'worn') {
    const call = before.items.find((item) => wornKey(item) === front.key)
    return call ? { kind: 'elsewhere', call } : before.notice
  }
  const call = [...before.items, ...before.doubts].find(({ id }) => id === front.id)
  if (!call) return before.notice
  const over = front.kind === 'call' && call.expiresAt !== null && Date.parse(call.expiresAt) <= now + before.clockOffset
  return { kind: over ? 'expired' : 'elsewhere', call }
}
