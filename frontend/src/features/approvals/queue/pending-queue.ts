import { callsOf } from '../../../desk/call-store'
import type { Desk } from '../../../desk/desk'
import { DeskError } from '../../../desk/desk-error'
import { pollWithoutEvents, type Poll } from '../../../desk/poll'
import type { Call, PendingCall, PendingSnapshot, Resolution } from '../../../desk/types'
import type { Beside, Verdict } from '../answer/draft'
import { aheadOf } from './clock-offset'
import { decideEach, emptyTally, type Alike, type Outcome, type Tally } from './decide-each'
import { riskRank } from './flood'
import { grouped } from '../../../ui/grouped'
import * as reduce from './queue-reducers'
import { emptyQueue, type Notice, type QueueState } from './queue-state'
import { twinsOf } from './twins'
import { quietSeconds, wornKey } from './worn'

const pollMs = 4000

/** Calls in doubt are asked for so long after those that wait, which come before them on the screen too. */
const doubtsAfterMs = 300

const doubtful = { text: '', statuses: ['in_doubt'] }

/** What a call is while it is here. */
const openStatuses = ['pending', 'in_doubt']

/**
 * Keeps the queue true to the desk: a snapshot at the start, at every hint, every
 * few seconds while no events come, and when the page is looked at again. It lives outside of
 * React, so that no render can lose or reorder what came in.
 */
export class PendingQueue {
  readonly #desk: Desk
  readonly #listeners = new Set<() => void>()
  #state = emptyQueue
  #asking = false
  /** How often a snapshot was asked for, and which of these requests is the newest that was answered. */
  #asked = 0
  #heard = 0
  #askAgain = false
  #poll: Poll | undefined
  #followers = 0
  #stop: (() => void) | undefined
  #resting: ReturnType<typeof setTimeout> | undefined

  constructor(desk: Desk) {
    this.#desk = desk
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** Listens and follows the desk until the returned function is called. */
  readonly watch = (listener: () => void): (() => void) => {
    const [stopListening, stopFollowing] = [this.subscribe(listener), this.follow()]
    return () => {
      stopListening()
      stopFollowing()
    }
  }

  readonly state = (): QueueState => this.#state

  /** Follows the desk until the returned function is called, and all others who follow it have ended that. */
  readonly follow = (): (() => void) => {
    this.#stop ??= this.#begin()
    this.#followers++
    return () => {
      if (--this.#followers > 0) return
      this.#stop?.()
      this.#stop = undefined
    }
  }

  #begin(): () => void {
    const ask = () => void this.refresh()
    const stopHints = this.#desk.subscribe(ask)
    const stopDoubts = this.#followDoubts()
    // Past the single flight: a request that hangs must not stop the next.
    const poll = pollWithoutEvents(this.#desk, {
      everyMs: pollMs,
      ask: () => void this.#ask(),
      answered: () => !this.#asking && this.#heard === this.#asked,
    })
    this.#poll = poll
    window.addEventListener('focus', ask)
    ask()
    return () => {
      stopHints()
      stopDoubts()
      poll.stop()
      window.removeEventListener('focus', ask)
    }
  }

  /** Follows the calls in doubt, as the store of calls has them. */
  #followDoubts(): () => void {
    const list = callsOf(this.#desk).list(doubtful)
    let stop: (() => void) | undefined
    const begin = setTimeout(() => {
      stop = list.subscribe(() => {
        const doubts = list.view().calls?.filter(({ status }) => status === 'in_doubt')
        if (doubts) this.#set(reduce.receiveDoubts(this.#state, doubts.toReversed(), Date.now()))
      })
    }, doubtsAfterMs)
    return () => {
      clearTimeout(begin)
      stop?.()
    }
  }

  /** Asks for a snapshot; hints that come meanwhile lead to one more. */
  async refresh(): Promise<void> {
    if (this.#asking) {
      this.#askAgain = true
      return
    }
    this.#asking = true
    try {
      do {
        this.#askAgain = false
        await this.#ask()
      } while (this.#askAgain)
    } finally {
      this.#asking = false
    }
  }

  async #ask(): Promise<void> {
    const mine = ++this.#asked
    this.#poll?.look()
    const asked = Date.now()
    try {
      const snapshot = await this.#desk.pending()
      if (mine < this.#heard && snapshot.desk !== this.#state.desk) return // a late word of the desk before
      this.#take(snapshot, asked)
      this.#heard = Math.max(this.#heard, mine)
    } catch {
      if (mine > this.#heard) this.#set(reduce.markUnreachable(this.#state)) // else it was reached since
    }
  }

  #take(snapshot: PendingSnapshot, asked: number): void {
    const clockOffset = aheadOf(snapshot.now, asked, Date.now(), this.#state.clockOffset)
    this.#set(reduce.receive({ ...this.#state, clockOffset }, snapshot, Date.now()))
  }

  /** Finds out how a call was settled elsewhere. Nothing depends on it but a word. */
  async #learn(notice: Notice | null): Promise<void> {
    if (notice?.kind !== 'elsewhere' || !openStatuses.includes(notice.call.status)) return
    const call = await this.#desk.call(notice.call.id).catch(() => null)
    if (call) this.#set(reduce.learn(this.#state, call))
  }

  /**
   * Sends an answer for the call as it was shown. Gives the error when the call
   * still waits, and tells it where its dialog is gone; a call that was settled before leaves the queue with a notice.
   */
  async answer(call: PendingCall, verdict: Verdict, { identical, ruleSaved }: Beside): Promise<DeskError | null> {
    const twins = verdict.input === undefined ? twinsOf(call, this.#state.items).filter(({ id }) => identical.includes(id)) : []
    const ids = [call, ...twins].map(({ id }) => id)
    this.#set(reduce.markSending(this.#state, ids))
    try {
      const done = await this.#desk.decide(call.id, { ...verdict, inputHash: call.inputHash, rev: call.rev })
      const { approved, reason } = verdict
      const tally = await decideEach(this.#desk, twins, { approved, reason }, this.#came)
      const told =
        twins.length > 0 ? ({ kind: 'alike', approved, tally: { ...tally, done: tally.done + 1 } } as const) : { kind: answerOf(done.call) }
      this.#settle(done.call, { ...told, call: done.call, ruleSaved }, done.settled)
      return null
    } catch (thrown) {
      const error = DeskError.from(thrown)
      if (!error.call || error.call.status === 'pending') {
        if (!this.#shows(call, error.call ?? call)) this.#set(reduce.refuse(this.#state, { kind: 'refused', call, error, ruleSaved }))
        return error
      }
      this.#set(reduce.refuse(reduce.settle(this.#state, error.call), { kind: 'refused', call: error.call, error, ruleSaved }))
      return null
    } finally {
      this.#set(reduce.unmarkSending(this.#state, ids))
      void this.refresh()
    }
  }

  /** Whether the dialog of a call as it was shown is in front, and stays: it tells the person itself. */
  #shows({ id, inputHash }: PendingCall, now: Call): boolean {
    const { front, items } = this.#state
    return front?.kind === 'call' && front.id === id && [now, ...items].every((call) => call.id !== id || call.inputHash === inputHash)
  }

  readonly #came = ({ came, call, settled }: Outcome): void => {
    this.#set(came === 'failed' ? reduce.unmarkSending(this.#state, [call.id]) : reduce.settle(this.#state, call, settled))
  }

  /** Declines all calls that wait now and are meant, also those that the snapshot has no room for. */
  readonly declineAll = async (meant: (call: PendingCall) => boolean, reason: string): Promise<Tally> => {
    const until = Date.now() + this.#state.clockOffset
    const [tried, sum] = [new Set<string>(), { ...emptyTally }]
    const isMeant = (call: PendingCall) => meant(call) && !tried.has(call.id) && Date.parse(call.createdAt) <= until
    let calls = this.#state.items.filter(isMeant)
    let { more } = this.#state
    while (calls.length > 0) {
      const tally = await this.#declineThese(calls, { approved: false, reason })
      for (const { id } of calls) tried.add(id)
      for (const came of ['done', 'before', 'failed'] as const) sum[came] += tally[came]
      calls = more ? (await this.#everyPending()).filter(isMeant) : []
      more = calls.length > 0
    }
    this.#set(reduce.notify(this.#state, { kind: 'declinedAll', tally: sum }))
    void this.refresh()
    return sum
  }

  /**
   * Declines what waits of a tool, and for a while what comes of the same kind: one answer for
   * each kind, to its riskiest call, so that it reaches all of them. What is answered once only
   * is declined by itself. Tells what of it still waits.
   */
  readonly declineKind = async (key: string): Promise<Tally> => {
    const kinds = grouped(
      this.#state.items.filter((call) => wornKey(call) === key && call.class !== null),
      (call) => JSON.stringify(call.class),
    )
    const heads = [...kinds.values()].map((calls) =>
      calls.reduce((high, call) => (riskRank(call.risk) > riskRank(high.risk) ? call : high)),
    )
    const wide = await this.#declineThese(heads, { approved: false, reason: '', scope: 'class', forSeconds: quietSeconds })
    const once = await this.declineAll((call) => wornKey(call) === key && !heads.some(({ id }) => id === call.id), '')
    const tally = { done: wide.done + once.done, before: wide.before + once.before, failed: wide.failed + once.failed }
    this.#set(reduce.notify(this.#state, { kind: 'declinedAll', tally }))
    return tally
  }

  async #declineThese(calls: readonly PendingCall[], answer: Alike): Promise<Tally> {
    this.#set(reduce.markSending(this.#state, calls.map(({ id }) => id)))
    return decideEach(this.#desk, calls, answer, this.#came)
  }

  async #everyPending(): Promise<PendingCall[]> {
    const calls: PendingCall[] = []
    let next: string | null | undefined
    while (next !== null) {
      const page: PendingSnapshot | null = await this.#desk.pending(next).catch(() => null)
      calls.push(...(page?.items ?? []))
      next = page?.next ?? null
    }
    return calls
  }

  /** Settles a call in doubt. Gives the error when it is in doubt still. */
  async resolve(call: Call, action: Resolution): Promise<DeskError | null> {
    try {
      const now = await this.#desk.resolve(call.id, action)
      this.#settle(now, { kind: action === 'retry' ? 'retried' : 'closed', call: now })
      return null
    } catch (thrown) {
      const error = DeskError.from(thrown)
      if (!error.call || error.call.status === 'in_doubt') return error
      this.#settle(error.call, { kind: 'elsewhere', call: error.call })
      return null
    }
  }

  readonly later = (): void => {
    this.#set(reduce.postpone(this.#state))
  }

  readonly review = (id?: string): void => {
    this.#set(reduce.review(this.#state, id))
  }

  readonly oneByOne = (agentId: string): void => {
    this.#set(reduce.unfold(this.#state, agentId))
  }

  readonly singly = (key: string): void => {
    this.#set(reduce.takeSingly(this.#state, key))
  }

  readonly pause = (agent: { agentId: string; agentName: string }): void => {
    this.#set(reduce.pause(this.#state, agent))
  }

  readonly resume = (agentId: string): void => {
    this.#set(reduce.resume(this.#state, agentId))
  }

  readonly quiet = (quiet: boolean): void => {
    this.#set(reduce.setQuiet(this.#state, quiet))
  }

  /** The person has begun with what is in front. */
  readonly touch = (): void => {
    this.#set(reduce.touch(this.#state))
  }

  readonly closeRefusal = (): void => {
    this.#set(reduce.closeRefusal(this.#state))
  }

  readonly dismissNotice = (): void => {
    this.#set(reduce.notify(this.#state, null))
  }

  /** The desk has settled a call by what was done here; also are the calls that it reached. */
  #settle(call: Call, notice: Notice, also: readonly string[] = []): void {
    this.#set(reduce.notify(reduce.settle(this.#state, call, also), notice))
    callsOf(this.#desk).take(call)
  }

  #set(next: QueueState): void {
    if (next === this.#state) return
    const { restUntil, notice } = this.#state
    this.#state = next
    if (next.restUntil !== null && next.restUntil !== restUntil) this.#restUntil(next.restUntil)
    if (next.notice !== notice) void this.#learn(next.notice)
    for (const tell of this.#listeners) tell()
  }

  #restUntil(until: number): void {
    clearTimeout(this.#resting)
    this.#resting = setTimeout(() => {
      this.#set(reduce.endRest(this.#state))
    }, until - Date.now())
  }
}

function answerOf({ decision }: Call): 'approved' | 'declined' {
  return decision?.approved ? 'approved' : 'declined'
}
