/**
 * The queue of waiting calls as pure functions: snapshots and a person's doings
 * come in, in any order, and what is to be in front comes out. Times are in
 * milliseconds of this machine's clock.
 */
import type { Call, DeclinedTool, PendingCall, PendingSnapshot } from '../../desk/types'
import type { Tally } from './decide-each'
import { foldedAgents } from './flood'
import { afterRest, byItself, chosen, type Front } from './queue-front'
import { wornKey, wornTools } from './worn'

/** Something that happened, told in passing. */
export type Notice =
  | ({ kind: 'approved' | 'declined'; call: Call } & WithRule)
  /** An answer to a call and to those that ask for the same. */
  | ({ kind: 'alike'; approved: boolean; call: Call; tally: Tally } & WithRule)
  | { kind: 'elsewhere' | 'expired' | 'retried' | 'closed'; call: Call }
  | { kind: 'declinedAll'; tally: Tally }
  /** None of an agent's many calls waits any more. */
  | { kind: 'flowedOff'; agentName: string }

/** An answer that did not count. */
export type Refusal = { kind: 'refused'; call: Call; error: { code: string; message: string } } & WithRule

interface WithRule {
  /** A rule was saved together with the answer, and stands whatever came of that. */
  ruleSaved: boolean
}

export interface QueueState {
  /** Which desk rev is of; '' before the first snapshot. */
  desk: string
  /** The journal's sequence number that items are not older than; -1 before the first snapshot. */
  rev: number
  items: readonly PendingCall[]
  /** More wait than items has. */
  more: boolean
  /** Calls that were started and gave no answer, oldest first. */
  doubts: readonly Call[]
  /** What the person is shown; it stays while it waits, whatever else comes. */
  front: Front | null
  /** The person has begun with what is in front: nothing takes it from under their hands. */
  touched: boolean
  /** Until then nothing can be pressed, because what was in front went away by itself. */
  restUntil: number | null
  /** Calls that the person put off. */
  later: ReadonlySet<string>
  /** Agents with so many calls that these are one card. */
  folded: ReadonlySet<string>
  /** Agents whose many calls the person looks at one by one. */
  unfolded: ReadonlySet<string>
  /** What the desk says of tools that a person declined again and again. */
  declined: readonly DeclinedTool[]
  /** Of these, those with calls that wait, as keys of one card each, and how often each was declined. */
  worn: ReadonlyMap<string, number>
  /** Those whose calls the person looks at one by one. */
  singly: ReadonlySet<string>
  /** Agents whose calls wait without a dialog: their ids and names. */
  paused: ReadonlyMap<string, string>
  /** Do not disturb: nothing comes to the front by itself. */
  quiet: boolean
  /** The person asked for the queue, so that one call follows the other. */
  reviewing: boolean
  /** Calls whose answer is on its way. */
  sending: ReadonlySet<string>
  /** Calls answered here, as long as an older row of them, which is stale, may come. */
  answered: ReadonlyMap<string, Answered>
  notice: Notice | null
  /** Answers that did not count, oldest first: they are told until the person closes them. */
  refusals: readonly Refusal[]
  unreachable: boolean
  /** By how much the desk's clock is ahead of this machine's. */
  clockOffset: number
}

/** An answer that was given here. */
interface Answered {
  /** The rev of the call that it made. */
  rev: number
  /** The queue's rev when it was given; Infinity for a call in doubt, of which no snapshot says anything. */
  at: number
}

export const emptyQueue: QueueState = {
  desk: '',
  rev: -1,
  items: [],
  more: false,
  doubts: [],
  front: null,
  touched: false,
  restUntil: null,
  later: new Set(),
  folded: new Set(),
  unfolded: new Set(),
  declined: [],
  worn: new Map(),
  singly: new Set(),
  paused: new Map(),
  quiet: false,
  reviewing: false,
  sending: new Set(),
  answered: new Map(),
  notice: null,
  refusals: [],
  unreachable: false,
  clockOffset: 0,
}

/** Takes a snapshot; one older than what is shown is dropped, unless it is of another desk. */
export function received(before: QueueState, snapshot: PendingSnapshot, now: number): QueueState {
  const state = snapshot.desk === before.desk ? before : ofAnotherDesk(before, snapshot.desk)
  if (snapshot.rev < state.rev) return state
  const fresh = snapshot.items.filter((call) => isNews(state, call))
  const next = { ...state, rev: snapshot.rev, declined: snapshot.declined, more: snapshot.next !== null, items: withUnanswered(state, fresh), answered: stillStale(state, snapshot), unreachable: false }
  return byItself(state, tidied(next), now)
}

/** A desk that was started anew, or from a copy of its data, may wait again for what was answered. What the person put off and paused stays so. */
function ofAnotherDesk(state: QueueState, desk: string): QueueState {
  return { ...state, desk, rev: -1, answered: new Map() }
}

/** Takes the calls that are in doubt, oldest first. */
export function receivedDoubts(state: QueueState, doubts: readonly Call[], now: number): QueueState {
  const next = { ...state, doubts: doubts.filter((call) => isNews(state, call)) }
  return byItself(state, tidied(next), now)
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
function tidied(state: QueueState): QueueState {
  const calls = new Set([...state.items, ...state.doubts].map((call) => call.id))
  const agents = new Set(state.items.map((call) => call.agentId))
  const unfolded = only(state.unfolded, agents)
  const singly = only(state.singly, new Set(state.items.map(wornKey)))
  const folded = foldedAgents(state.items, state.folded, unfolded)
  return { ...state, later: only(state.later, calls), unfolded, folded, singly, worn: wornTools(state.items, state.declined, state.worn, singly) }
}

function only(kept: ReadonlySet<string>, there: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...kept].filter((id) => there.has(id)))
}

/** A second has passed since something went by itself. */
export function rested(state: QueueState): QueueState {
  return state.restUntil === null ? state : afterRest({ ...state, restUntil: null })
}

export function sending(state: QueueState, ids: readonly string[]): QueueState {
  return { ...state, sending: new Set([...state.sending, ...ids]) }
}

/** Answers that did not get through, or were refused while the call waits on. */
export function unsent(state: QueueState, ids: readonly string[]): QueueState {
  return { ...state, sending: new Set([...state.sending].filter((id) => !ids.includes(id))) }
}

/** The desk has settled this call, by an answer that was given here; also are the waiting calls that the answer reached. */
export function settled(state: QueueState, call: Call, also: readonly string[] = []): QueueState {
  const reached = state.items.filter(({ id }) => also.includes(id))
  const at = state.doubts.some(({ id }) => id === call.id) ? Infinity : state.rev
  const answered = new Map([...state.answered, ...[call, ...reached].map(({ id, rev }) => [id, { rev, at }] as const)])
  const waits = ({ id }: Call) => id !== call.id && !also.includes(id)
  const next = { ...unsent(state, [call.id]), answered, items: state.items.filter(waits), doubts: state.doubts.filter(waits) }
  return chosen(tidied(next))
}

/** The person puts off all that waits now; what comes later is shown again. */
export function postponed(state: QueueState): QueueState {
  const later = new Set([...state.items, ...state.doubts].map((call) => call.id))
  return { ...state, front: null, touched: false, reviewing: false, later }
}

/** The person comes back, to one call or to the oldest. */
export function reviewed(state: QueueState, id?: string): QueueState {
  const front = frontOf(state, id)
  return chosen({ ...state, later: new Set(), reviewing: true, front, touched: front !== null })
}

function frontOf(state: QueueState, id?: string): Front | null {
  if (id === undefined) return null
  return { kind: state.doubts.some((call) => call.id === id) ? 'doubt' : 'call', id }
}

/** An agent's calls wait without a dialog until they are resumed. */
export function paused(state: QueueState, agent: { agentId: string; agentName: string }): QueueState {
  return chosen({ ...state, front: null, touched: false, paused: new Map([...state.paused, [agent.agentId, agent.agentName]]) })
}

export function resumed(state: QueueState, agentId: string): QueueState {
  const paused = new Map([...state.paused].filter(([id]) => id !== agentId))
  return chosen({ ...state, paused, later: withoutAgent(state, agentId) })
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
export function taken(state: QueueState, key: string): QueueState {
  const meant = (call: PendingCall) => wornKey(call) === key
  const next = tidied({ ...state, singly: new Set([...state.singly, key]), later: putOffBut(state, meant) })
  const oldest = state.items.find(meant)
  return chosen({ ...next, reviewing: true, touched: false, front: oldest ? { kind: 'call', id: oldest.id } : null })
}

/** An agent's many calls are looked at one by one, until none is left. */
export function unfolded(state: QueueState, agentId: string): QueueState {
  const next = tidied({ ...state, unfolded: new Set([...state.unfolded, agentId]), later: withoutAgent(state, agentId) })
  const oldest = state.items.find((call) => call.agentId === agentId)
  return chosen({ ...next, reviewing: true, touched: false, front: oldest ? { kind: 'call', id: oldest.id } : null })
}

/** Nothing is to come to the front by itself, or again everything. What is there stays. */
export function quieted(state: QueueState, quiet: boolean): QueueState {
  return quiet === state.quiet ? state : chosen({ ...state, quiet, reviewing: false })
}

export function touched(state: QueueState): QueueState {
  return state.touched || state.front === null ? state : { ...state, touched: true }
}

export function unreachable(state: QueueState): QueueState {
  return state.unreachable ? state : { ...state, unreachable: true }
}

export function noticed(state: QueueState, notice: Notice | null): QueueState {
  return { ...state, notice }
}

export function refused(state: QueueState, refusal: Refusal): QueueState {
  return { ...state, refusals: [...state.refusals, refusal] }
}

/** The person has read the oldest refusal. */
export function refusalClosed(state: QueueState): QueueState {
  return { ...state, refusals: state.refusals.slice(1) }
}

/** How a call that was settled elsewhere stands, if that is still what is told. */
export function learned(state: QueueState, call: Call): QueueState {
  const { notice } = state
  if (notice?.kind !== 'elsewhere' || notice.call.id !== call.id || call.rev === notice.call.rev) return state
  return { ...state, notice: { kind: call.status === 'expired' ? 'expired' : 'elsewhere', call } }
}
