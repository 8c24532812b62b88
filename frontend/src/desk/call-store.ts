import { belongsTo, extended, laidOver, placed, reaches, reachesEnd, type CallsQuery, type Stretch } from './call-list'
import type { Desk } from './desk'
import { DeskError } from './desk-error'
import { pollWithoutEvents } from './poll'
import type { Call, Hint } from './types'

const pollMs = 15_000

/** Hints of a moment lead to one request. */
const gatherMs = 100

/** So many pages in a row are read to find again what is listed; what lies below them is then loaded anew. */
const maxPages = 20

/** So many changed calls are asked for one by one. */
const maxSingles = 20

/** What is known of the calls that were asked for. */
export interface CallsView {
  /** Newest first, without a hole; null before the first answer. */
  calls: readonly Call[] | null
  /**
   * Of which stretch calls is complete: from the newest of them down to where the cursor `to` goes on;
   * null: down to the first call of all.
   */
  complete: { from: string | null; to: string | null } | null
  /** Why the last request failed. What is shown stays true of the moment before. */
  error: DeskError | null
}

const nothing: Stretch = { ids: [], next: null }

const nothingYet: CallsView = { calls: null, complete: null, error: null }

/** What is listed for one query. A query that is asked anew begins with a new one, so that late answers for the old one find no place. */
interface Listing {
  query: CallsQuery
  list: Stretch | null
  /** The requests of a listing run one after the other. */
  work: Promise<void>
  refreshing: boolean
  loading: boolean
}

/**
 * Keeps the calls that this page knows, by id, the newest row of each, and lists
 * those of a query without a hole: pages and hints come in, in any order. It lives
 * outside of React; screens are views of it.
 */
export class CallStore {
  readonly #desk: Desk
  readonly #rows = new Map<string, Call>()
  readonly #listeners = new Set<() => void>()
  #listing: Listing | null = null
  #view = nothingYet
  /** Calls of which a hint said that they changed, and that were not read since. */
  #changed = new Set<string>()
  /** What changed is not known: all that is listed is read anew. */
  #lost = false
  /** Calls whose rows are of before that: of a desk, perhaps, that was put back since, where they have an older rev. */
  #old = new Set<string>()

  constructor(desk: Desk) {
    this.#desk = desk
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  readonly view = (): CallsView => this.#view

  /** Lists the calls of another query. */
  readonly show = (query: CallsQuery): void => {
    this.#listing = { query, list: null, work: Promise.resolve(), refreshing: false, loading: false }
    this.#set(nothingYet)
    void this.refresh()
  }

  /** Follows the desk until the returned function is called. */
  readonly follow = (): (() => void) => {
    let soon: ReturnType<typeof setTimeout> | undefined
    const stop = this.#desk.subscribe((hint) => {
      if (!this.#concerns(hint)) return
      soon ??= setTimeout(() => {
        soon = undefined
        void this.refresh()
      }, gatherMs)
    })
    const stopPolling = pollWithoutEvents(this.#desk, {
      everyMs: pollMs,
      ask: () => void this.refresh(),
      answered: () => this.#view.error === null,
    })
    return () => {
      stop()
      clearTimeout(soon)
      stopPolling()
    }
  }

  /** Notes what a hint says, and whether it is about calls. After a connection the desk tells what was missed by itself. */
  #concerns({ kind, callId }: Hint): boolean {
    if (kind === 'connected') return true
    if (kind.includes('.') && !/^(call|inputs|journal)\./.test(kind)) return false
    if (callId === undefined) this.#lost = true
    else this.#changed.add(callId)
    return true
  }

  /** Asks for the newest calls, and for older ones that changed. */
  refresh(): Promise<void> {
    const listing = this.#listing
    if (!listing || listing.refreshing) return listing?.work ?? Promise.resolve()
    listing.refreshing = true
    return this.#run(listing, async () => {
      listing.refreshing = false // what is hinted from now on leads to another one
      const [changed, lost] = [this.#changed, this.#lost]
      this.#changed = new Set()
      this.#lost = false
      try {
        await this.#refresh(listing, changed, lost)
      } catch (thrown) {
        this.#changed = new Set([...changed, ...this.#changed])
        this.#lost ||= lost
        throw thrown
      }
    })
  }

  async #refresh(listing: Listing, changed: ReadonlySet<string>, lost: boolean): Promise<void> {
    const { list, query } = listing
    if (lost) this.#old = new Set(this.#rows.keys())
    const top = await this.#top(query, list ?? nothing, lost ? reachesEnd : reaches)
    if (list === null || lost || !reaches(list, top)) {
      listing.list = top
      return
    }
    const news = new Set(top.ids)
    const old = [...changed].filter((id) => !news.has(id))
    if (old.length > maxSingles) {
      listing.list = await this.#top(query, list, reachesEnd)
      return
    }
    let next = laidOver(list, top)
    for (const call of await Promise.all(old.map((id) => this.#single(id)))) {
      if (call) next = placed(next, call, belongsTo(query, call), (id) => this.#rows.get(id))
    }
    listing.list = next
  }

  /** The newest calls, page after page until they are enough for what is listed, or very many. */
  async #top(query: CallsQuery, list: Stretch, isEnough: (list: Stretch, top: Stretch) => boolean): Promise<Stretch> {
    let top = nothing
    for (let pages = 0; pages < maxPages; pages++) {
      const page = await this.#page(query, top.next)
      top = extended(top, page)
      if (page.next === null || isEnough(list, top)) break
    }
    return top
  }

  /** Loads the page below what is listed. */
  readonly more = (): Promise<void> => {
    const listing = this.#listing
    if (!listing?.list || listing.list.next === null || listing.loading) return Promise.resolve()
    listing.loading = true
    return this.#run(listing, async () => {
      try {
        const { list } = listing
        if (!list || list.next === null) return
        const page = await this.#page(listing.query, list.next)
        listing.list = extended(list, page)
      } finally {
        listing.loading = false
      }
    })
  }

  /** Takes the row of a call that an answer brought. */
  readonly take = (call: Call): void => {
    this.#keep(call)
    this.#show(this.#view.error)
  }

  async #page({ text, statuses }: CallsQuery, cursor: string | null): Promise<Stretch> {
    const { calls, next } = await this.#desk.calls({ cursor, text, statuses })
    for (const call of calls) this.#keep(call)
    return { ids: calls.map(({ id }) => id), next }
  }

  /** A call as it is now; null: it is none any more. */
  async #single(id: string): Promise<Call | null> {
    try {
      const call = await this.#desk.call(id)
      this.#keep(call)
      return call
    } catch (thrown) {
      if (DeskError.from(thrown).code === 'not_found') return null
      throw thrown
    }
  }

  #keep(call: Call): void {
    const known = this.#rows.get(call.id)
    if (!known || known.rev <= call.rev || this.#old.delete(call.id)) this.#rows.set(call.id, call)
  }

  #run(listing: Listing, job: () => Promise<void>): Promise<void> {
    listing.work = listing.work
      .then(job)
      .then(() => null, (thrown: unknown) => DeskError.from(thrown))
      .then((error) => {
        if (listing === this.#listing) this.#show(error)
      })
    return listing.work
  }

  #show(error: DeskError | null): void {
    const list = this.#listing?.list ?? null
    const calls = list && list.ids.flatMap((id) => this.#rows.get(id) ?? [])
    this.#set({ calls, complete: list && { from: list.ids[0] ?? null, to: list.next }, error })
  }

  #set(view: CallsView): void {
    this.#view = view
    for (const tell of this.#listeners) tell()
  }
}
