import type { Desk } from './desk'
import { pollWithoutEvents } from './poll'
import { changedAfter, changing, patient, untold, type Resource } from './resources'

const pollMs = 15_000

/** Hints of a moment lead to one request, and let the queue of waiting calls, which has no such patience, go first. */
const gatherMs = 100

/** Each decision counts a hit somewhere. Many come at once, and a long list is not for each of them. */
const gatherDecisionsMs = 2000

/** Somebody who shows resources. */
interface Follower {
  /** Loads those again that are shown; ends when they are there. It does not fail. */
  renew: (names: readonly Resource[]) => Promise<unknown>
  /** Those whose newest request failed or hangs. */
  unanswered: () => readonly Resource[]
}

const followers = new WeakMap<Desk, Set<Follower>>()

/** Loads resources again wherever they are shown: something was done that may have changed them. */
export async function renew(desk: Desk, names: readonly Resource[]): Promise<void> {
  await Promise.all([...(followers.get(desk) ?? [])].map((follower) => follower.renew(names)))
}

/**
 * Loads again what events tell of, and every few seconds what was not answered, what changes without an event, and
 * everything while no events come; until the returned function is called.
 */
export function follow(desk: Desk, follower: Follower): () => void {
  const all = followers.get(desk) ?? new Set()
  followers.set(desk, all.add(follower))
  const gathers = new Map<Resource, Gather>()
  const stopHints = desk.subscribe(({ kind }) => {
    for (const name of changedAfter(kind)) {
      const gather = gathers.get(name) ?? new Gather(() => follower.renew([name]))
      gathers.set(name, gather)
      const mayWait = kind === 'call.decided' || (kind === 'call.created' && patient.includes(name))
      gather.hint(mayWait ? gatherDecisionsMs : gatherMs)
    }
  })
  const stopPolling = pollWithoutEvents(desk, {
    everyMs: pollMs,
    ask: () => {
      const failed = follower.unanswered().filter((name) => changing.includes(name))
      void follower.renew(desk.hasEvents() ? [...untold, ...failed] : changing)
    },
    answered: () => false,
    told: false,
  })
  return () => {
    all.delete(follower)
    stopHints()
    stopPolling()
    for (const gather of gathers.values()) gather.stop()
  }
}

/** Makes one request of the hints of a while. The next waits for its answer: on a busy desk, too, an answer comes to be shown. */
class Gather {
  readonly #ask: () => Promise<unknown>
  #timer: ReturnType<typeof setTimeout> | undefined
  /** How long the first hint that was not asked about can wait; Infinity while there is none. */
  #ms = Infinity
  #asking = false

  constructor(ask: () => Promise<unknown>) {
    this.#ask = ask
  }

  hint(ms: number): void {
    if (ms >= this.#ms) return
    this.#ms = ms
    if (!this.#asking) this.#wait()
  }

  #wait(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#run(), this.#ms)
  }

  async #run(): Promise<void> {
    this.#ms = Infinity
    this.#asking = true
    await this.#ask()
    this.#asking = false
    if (this.#ms < Infinity) this.#wait()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#ms = -Infinity
  }
}
