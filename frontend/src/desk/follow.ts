import type { Desk } from './desk'
import { pollWithoutEvents } from './poll'
import { changedAfter, changing, patient, untold, type Resource } from './resources'

const pollMs = 15_000

/** Hints of a moment lead to one request, and let the queue of waiting calls, which has no such patience, go first. */
const gatherMs = 100

/** Each decision counts a hit somewhere. Many come at once, and a long list is not for each of them. */
const gatherDecisionsMs = 2000

/** Counts over days are added up anew for each request. */
const gatherCountsMs = 30_000

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

export interface Following {
  /** Something new was asked for: if it is not answered, it is asked for again. */
  look: () => void
  stop: () => void
}

/**
 * Loads again what events tell of; what changes without an event, when the page is looked at; every few seconds what was not
 * answered, and everything while no events come; until it is stopped.
 */
export function follow(desk: Desk, follower: Follower): Following {
  const all = followers.get(desk) ?? new Set()
  const gathers = new Map<Resource, Gather>()
  const ask = (anew: boolean) => {
    const failed = follower.unanswered().filter((name) => changing.includes(name))
    void follower.renew(desk.hasEvents() ? [...(anew ? untold : []), ...failed] : changing)
  }
  const poll = pollWithoutEvents(desk, { everyMs: pollMs, ask, answered: () => follower.unanswered().length === 0 })
  const renewing: Follower = {
    ...follower,
    renew: (names) => {
      poll.look()
      return follower.renew(names)
    },
  }
  followers.set(desk, all.add(renewing))
  const stopHints = desk.subscribe(({ kind }) => {
    for (const name of changedAfter(kind)) {
      const gather = gathers.get(name) ?? new Gather(() => renewing.renew([name]))
      gathers.set(name, gather)
      gather.hint(patienceMs(name, kind))
    }
  })
  const focused = () => {
    ask(true)
  }
  window.addEventListener('focus', focused)
  return {
    look: poll.look,
    stop: () => {
      all.delete(renewing)
      stopHints()
      poll.stop()
      window.removeEventListener('focus', focused)
      for (const gather of gathers.values()) gather.stop()
    },
  }
}

function patienceMs(name: Resource, kind: string): number {
  if (name === 'insights') return gatherCountsMs
  if (name === 'firstSteps') return gatherMs // the welcome shows what follows the first answer
  const mayWait = kind === 'call.decided' || (kind === 'call.created' && patient.includes(name))
  return mayWait ? gatherDecisionsMs : gatherMs
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
    if (Number.isFinite(this.#ms)) this.#wait() // -Infinity: it was stopped
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#ms = -Infinity
  }
}
