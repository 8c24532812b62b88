/** What the page knows of the queue of waiting calls. Times are in milliseconds of this machine's clock. */
import type { Call, DeclinedTool, PendingCall } from '../../../desk/types'
import type { Tally } from './decide-each'

/** A waiting call, a call in doubt, the card of an agent with very many calls, or that of a tool that was declined again and again. */
export type Front = { kind: 'call' | 'doubt'; id: string } | Card
export type Card = { kind: 'flood'; agentId: string } | { kind: 'worn'; key: string }

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

