import type { Desk } from '../../desk/desk'
import { DeskError } from '../../desk/desk-error'
import type { Answer, PendingCall } from '../../desk/types'
import * as queue from './queue-state'

const safetyNetMs = 4000

/**
 * Keeps the queue true to the desk: a snapshot at the start, at every hint,
 * every few seconds, and when the page is looked at again. It lives outside of
 * React, so that no render can lose or reorder what came in.
 */
export class PendingQueue {
  readonly #desk: Desk
  readonly #listeners = new Set<() => void>()
  #state = queue.emptyQueue
  #asking = false
  #askAgain = false

  constructor(desk: Desk) {
    this.#desk = desk
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  readonly state = (): queue.QueueState => this.#state

  /** Follows the desk until the returned function is called. */
  readonly follow = (): (() => void) => {
    const ask = () => void this.refresh()
    const stopHints = this.#desk.subscribe(ask)
    // Past the single flight: a request that hangs must not stop the net.
    const timer = setInterval(() => void this.#ask(), safetyNetMs)
    window.addEventListener('focus', ask)
    document.addEventListener('visibilitychange', ask)
    ask()
    return () => {
      stopHints()
      clearInterval(timer)
      window.removeEventListener('focus', ask)
      document.removeEventListener('visibilitychange', ask)
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
    try {
      const snapshot = await this.#desk.pending()
      this.#set(queue.received(this.#state, snapshot, Date.now()))
    } catch {
      this.#set(queue.unreachable(this.#state))
    }
  }

  /**
   * Sends an answer for the call as it was shown. Gives the error when the call
   * still waits; a call that was settled before leaves the queue with a notice.
   */
  async answer(call: PendingCall, answer: Pick<Answer, 'approved' | 'reason'>): Promise<DeskError | null> {
    try {
      const done = await this.#desk.decide(call.id, { ...answer, inputHash: call.inputHash, rev: call.rev })
      this.#set(queue.answered(this.#state, done.call))
      return null
    } catch (thrown) {
      const error = DeskError.from(thrown)
      const now = error.call
      if (now && now.status !== 'pending') {
        this.#set(queue.refused(this.#state, now, { code: error.code, message: error.message }))
        return null
      }
      return error
    } finally {
      void this.refresh()
    }
  }

  readonly later = (): void => {
    this.#set(queue.postponed(this.#state))
  }

  readonly review = (id?: string): void => {
    this.#set(queue.reviewed(this.#state, id))
  }

  readonly dismissNotice = (): void => {
    this.#set(queue.noticed(this.#state))
  }

  #set(next: queue.QueueState): void {
    if (next === this.#state) return
    this.#state = next
    for (const tell of this.#listeners) tell()
  }
}
