/**
 * The queue of waiting calls as pure functions: snapshots come in, in any order,
 * and what is shown comes out.
 */
import type { Call, PendingCall, PendingSnapshot } from '../../desk/types'

/** Something that happened to a call, told in passing. */
export interface Notice {
  kind: 'approved' | 'declined' | 'elsewhere' | 'expired' | 'refused'
  call: Call
  /** For refused: why, as the desk's code and message. */
  error?: { code: string; message: string }
}

export interface QueueState {
  /** The journal's sequence number that items are not older than; -1 before the first snapshot. */
  rev: number
  items: readonly PendingCall[]
  /** The call in the dialog; it stays there while it waits, whatever else comes. */
  shownId: string | null
  /** Calls that the person put off. */
  later: ReadonlySet<string>
  /** Calls answered here, with the rev that the answer made; older rows of them are stale. */
  answered: ReadonlyMap<string, number>
  notice: Notice | null
  unreachable: boolean
}

export const emptyQueue: QueueState = { rev: -1, items: [], shownId: null, later: new Set(), answered: new Map(), notice: null, unreachable: false }

/** Takes a snapshot; one older than what is shown is dropped. now is in milliseconds. */
export function received(state: QueueState, snapshot: PendingSnapshot, now: number): QueueState {
  if (snapshot.rev < state.rev) return state
  const items = snapshot.items.filter((call) => call.rev > (state.answered.get(call.id) ?? -1))
  const next = { ...state, rev: snapshot.rev, items, unreachable: false, later: still(state.later, items) }
  const shown = state.items.find((call) => call.id === state.shownId)
  if (shown && !items.some((call) => call.id === shown.id)) next.notice = goneNotice(shown, now)
  return showNext(next)
}

function still(later: ReadonlySet<string>, items: readonly PendingCall[]): ReadonlySet<string> {
  return new Set(items.filter((call) => later.has(call.id)).map((call) => call.id))
}

function goneNotice(call: PendingCall, now: number): Notice {
  const over = call.expiresAt !== null && Date.parse(call.expiresAt) <= now
  return { kind: over ? 'expired' : 'elsewhere', call }
}

/** Keeps what is shown, else shows the oldest that was not put off. */
function showNext(state: QueueState): QueueState {
  if (state.items.some((call) => call.id === state.shownId)) return state
  return { ...state, shownId: state.items.find((call) => !state.later.has(call.id))?.id ?? null }
}

/** The desk took an answer that was given here. */
export function answered(state: QueueState, call: Call): QueueState {
  const kind = call.decision?.approved ? 'approved' : 'declined'
  return settled(state, call, { kind, call })
}

/** The desk refused an answer because the call was settled before. */
export function refused(state: QueueState, call: Call, error: { code: string; message: string }): QueueState {
  return settled(state, call, { kind: 'refused', call, error })
}

function settled(state: QueueState, call: Call, notice: Notice): QueueState {
  const items = state.items.filter((item) => item.id !== call.id)
  return showNext({ ...state, items, notice, later: still(state.later, items), answered: new Map(state.answered).set(call.id, call.rev) })
}

/** The person puts off all that waits now; what comes later is shown again. */
export function postponed(state: QueueState): QueueState {
  return { ...state, shownId: null, later: new Set(state.items.map((call) => call.id)) }
}

/** The person comes back, to one call or to the oldest. */
export function reviewed(state: QueueState, id?: string): QueueState {
  return showNext({ ...state, later: new Set(), shownId: id ?? null })
}

export function unreachable(state: QueueState): QueueState {
  return state.unreachable ? state : { ...state, unreachable: true }
}

export function noticed(state: QueueState): QueueState {
  return { ...state, notice: null }
}
