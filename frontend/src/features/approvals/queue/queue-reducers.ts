/**
 * The queue of waiting calls as pure functions: snapshots and a person's doings
 * come in, in any order, and what is to be in front comes out.
 */
import type { Call, PendingCall, PendingSnapshot } from '../../../desk/types'
import { foldedAgents } from './flood'
import { advance, chooseAfterRest, chooseFront } from './queue-front'
import type { Front, Notice, QueueState, Refusal } from './queue-state'
import { wornKey, wornTools } from './worn'

/** Takes a snapshot; one older than what is shown is dropped, unless it is of another desk. */
export function receive(before: QueueState, snapshot: PendingSnapshot, now: number): QueueState {
  const state = snapshot.desk === before.desk ? before : startAtDesk(before, snapshot.desk)
  if (snapshot.rev < state.rev) return state
  const fresh = snapshot.items.filter((call) => isNews(state, call))
  const next = {
    ...state,
    rev: snapshot.rev,
    declined: snapshot.declined,
    more: snapshot.next !== null,
    items: withUnanswered(state, fresh),
    answered: stillStale(state, snapshot),
    unreachable: false,
  }
  return advance(state, tidy(next), now)
}

/**
 * A desk that was started anew, or from a copy of its data, may wait again for what was answered. What
 * the person put off and paused stays so.
 */
function startAtDesk(state: QueueState, desk: string): QueueState {
  return { ...state, desk, rev: -1, answered: new Map() }
}

/** Takes the calls that are in doubt, oldest first. */
export function receiveDoubts(state: QueueState, doubts: readonly Call[], now: number): QueueState {
  const next = { ...state, doubts: doubts.filter((call) => isNews(state, call)) }
  return advance(state, tidy(next), now)
}

function isNews(state: QueueState, call: Call): boolean {
  return call.rev > (state.answered.get(call.id)?.rev ?? -1)
}

/** The answers without those that a later snapshot has settled: what is absent from all that waits comes in no row that is older. */
function stillStale({ answered }: QueueState, { rev, items, next }: PendingSnapshot): QueueState['answered'] {
  if (next !== null || answered.size === 0) return answered
  const waiting = new Set(items.map(({ id }) => id))
  return new Map([...answered].filter(([id, { at }]) => rev <= at || waiting.has(id)))
}

/** A call whose answer is on its way stays until the desk says what came of it: its row may be gone before the reply is here. */
function withUnanswered(state: QueueState, fresh: PendingCall[]): PendingCall[] {
  state.items.forEach((call, at) => {
    if (state.sending.has(call.id) && !fresh.some(({ id }) => id === call.id)) fresh.splice(at, 0, call)
  })
  return fresh
}

/** Forgets what was said of calls and agents that do not wait any more. */
function tidy(state: QueueState): QueueState {
  const calls = new Set([...state.items, ...state.doubts].map((call) => call.id))
  const agents = new Set(state.items.map((call) => call.agentId))
  const unfolded = only(state.unfolded, agents)
  const singly = only(state.singly, new Set(state.items.map(wornKey)))
  const folded = foldedAgents(state.items, state.folded, unfolded)
  return {
    ...state,
    later: only(state.later, calls),
    unfolded,
    folded,
    singly,
    worn: wornTools(state.items, state.declined, state.worn, singly),
  }
}

function only(kept: ReadonlySet<string>, there: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...kept].filter((id) => there.has(id)))
}

/** A second has passed since something went by itself. */
export function endRest(state: QueueState): QueueState {
  return state.restUntil === null ? state : chooseAfterRest({ ...state, restUntil: null })
}

export function markSending(state: QueueState, ids: readonly string[]): QueueState {
  return { ...state, sending: new Set([...state.sending, ...ids]) }
}

/** Answers that did not get through, or were refused while the call waits on. */
export function unmarkSending(state: QueueState, ids: readonly string[]): QueueState {
  return { ...state, sending: new Set([...state.sending].filter((id) => !ids.includes(id))) }
}

/** The desk has settled this call, by an answer that was given here; also are the waiting calls that the answer reached. */
export function settle(state: QueueState, call: Call, also: readonly string[] = []): QueueState {
  const reached = state.items.filter(({ id }) => also.includes(id))
  const at = state.doubts.some(({ id }) => id === call.id) ? Infinity : state.rev
  const answered = new Map([...state.answered, ...[call, ...reached].map(({ id, rev }) => [id, { rev, at }] as const)])
  const waits = ({ id }: Call) => id !== call.id && !also.includes(id)
  const next = { ...unmarkSending(state, [call.id]), answered, items: state.items.filter(waits), doubts: state.doubts.filter(waits) }
  return chooseFront(tidy(next))
}

/** The person puts off all that waits now; what comes later is shown again. */
export function postpone(state: QueueState): QueueState {
  const later = new Set([...state.items, ...state.doubts].map((call) => call.id))
  return { ...state, front: null, touched: false, reviewing: false, later }
}

/** The person comes back, to one call or to the oldest. */
export function review(state: QueueState, id?: string): QueueState {
  const front = frontOf(state, id)
  return chooseFront({ ...state, later: new Set(), reviewing: true, front, touched: front !== null })
}

function frontOf(state: QueueState, id?: string): Front | null {
  if (id === undefined) return null
  return { kind: state.doubts.some((call) => call.id === id) ? 'doubt' : 'call', id }
}

/** An agent's calls wait without a dialog until they are resumed. */
export function pause(state: QueueState, agent: { agentId: string; agentName: string }): QueueState {
  return chooseFront({ ...state, front: null, touched: false, paused: new Map([...state.paused, [agent.agentId, agent.agentName]]) })
}

export function resume(state: QueueState, agentId: string): QueueState {
  const paused = new Map([...state.paused].filter(([id]) => id !== agentId))
  return chooseFront({ ...state, paused, later: withoutAgent(state, agentId) })
}

/** What was put off, but of this agent. */
function withoutAgent(state: QueueState, agentId: string): ReadonlySet<string> {
  return putOffBut(state, (call) => call.agentId === agentId)
}

function putOffBut(state: QueueState, meant: (call: PendingCall) => boolean): ReadonlySet<string> {
  const others = new Set(state.items.filter((call) => !meant(call)).map((call) => call.id))
  return only(state.later, new Set([...others, ...state.doubts.map((call) => call.id)]))
}

/** The calls of a tool that was declined again and again are looked at one by one, until none is left. */
export function takeSingly(state: QueueState, key: string): QueueState {
  const meant = (call: PendingCall) => wornKey(call) === key
  const next = tidy({ ...state, singly: new Set([...state.singly, key]), later: putOffBut(state, meant) })
  const oldest = state.items.find(meant)
  return chooseFront({ ...next, reviewing: true, touched: false, front: oldest ? { kind: 'call', id: oldest.id } : null })
}

/** An agent's many calls are looked at one by one, until none is left. */
export function unfold(state: QueueState, agentId: string): QueueState {
  const next = tidy({ ...state, unfolded: new Set([...state.unfolded, agentId]), later: withoutAgent(state, agentId) })
  const oldest = state.items.find((call) => call.agentId === agentId)
  return chooseFront({ ...next, reviewing: true, touched: false, front: oldest ? { kind: 'call', id: oldest.id } : null })
}

/** Nothing is to come to the front by itself, or again everything. What is there stays. */
export function setQuiet(state: QueueState, quiet: boolean): QueueState {
  return quiet === state.quiet ? state : chooseFront({ ...state, quiet, reviewing: false })
}

export function touch(state: QueueState): QueueState {
  return state.touched || state.front === null ? state : { ...state, touched: true }
}

export function markUnreachable(state: QueueState): QueueState {
  return state.unreachable ? state : { ...state, unreachable: true }
}

export function notify(state: QueueState, notice: Notice | null): QueueState {
  return { ...state, notice }
}

export function refuse(state: QueueState, refusal: Refusal): QueueState {
  return { ...state, refusals: [...state.refusals, refusal] }
}

/** The person has read the oldest refusal. */
export function closeRefusal(state: QueueState): QueueState {
  return { ...state, refusals: state.refusals.slice(1) }
}

/** How a call that was settled elsewhere stands, if that is still what is told. */
export function learn(state: QueueState, call: Call): QueueState {
  const { notice } = state
  if (notice?.kind !== 'elsewhere' || notice.call.id !== call.id || call.rev === notice.call.rev) return state
  return { ...state, notice: { kind: call.status === 'expired' ? 'expired' : 'elsewhere', call } }
}
