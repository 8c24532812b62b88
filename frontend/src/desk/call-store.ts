import { commonLength } from '../lists/common-length'
import { belongsTo, extended, laidOver, mayChange, placed, reaches, reachesEnd, type CallsQuery, type Stretch } from './call-list'
import type { Desk } from './desk'
import { DeskError } from './desk-error'
import { pollWithoutEvents, type Poll } from './poll'
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

interface Shown {
  ids: readonly string[]
  calls: readonly Call[]
  changes: number
}

const nothingShown: Shown = { ids: [], calls: [], changes: -1 }

const nothingYet: CallsView = { calls: null, complete: null, error: null }

const stores = new WeakMap<Desk, CallStore>()

/** The calls that the page knows of a desk. */
export function callsOf(desk: Desk): CallStore {
  const store = stores.get(desk) ?? new CallStore(desk)
  stores.set(desk, store)
  return store
}

/**
 * Keeps the calls that this page knows, by id, the newest row of each. It lives outside of React;
 * its lists, and the screens that show them, are views of it.
 */
export class CallStore {
  readonly desk: Desk
  readonly #rows = new Map<string, Call>()
  readonly #lists = new Set<CallList>()
  /** Calls whose rows are of before events were lost: of a desk, perhaps, that was put back since, where they have an older rev. */
  #old = new Set<string>()
  /** How many rows took the place of another one. */
  changes = 0

  constructor(desk: Desk) {
    this.desk = desk
  }

  /** The calls of a query. They are loaded once somebody listens. */
  list(query: CallsQuery): CallList {
    return new CallList(this, query)
  }

  readonly row = (id: string): Call | undefined => this.#rows.get(id)

  keep(call: Call, list?: CallList): void {
    list?.held.add(call.id)
    const known = this.#rows.get(call.id)
    if (known && known.rev > call.rev && !this.#old.delete(call.id)) return
    if (known) this.changes++
    this.#rows.set(call.id, call)
  }

  /** Takes the row of a call that an answer brought, if the call is listed. */
  readonly take = (call: Call): void => {
    if (!this.#rows.has(call.id)) return
    this.keep(call)
    for (const list of this.#lists) list.show()
  }

  /** The rows that are there may be newer than those that come. */
  doubt(): void {
    this.#old = new Set(this.#rows.keys())
  }

  /** A list is shown until the returned function is called. The rows that no other list has are forgotten then. */
  use(list: CallList): () => void {
    this.#lists.add(list)
    return () => {
      this.#lists.delete(list)
      for (const id of list.held) if (![...this.#lists].some(({ held }) => held.has(id))) this.#rows.delete(id)
      list.held.clear()
    }
  }
}

/** The calls of one query without a hole: pages and hints come in, in any order. */
export class CallList {
  readonly query: CallsQuery
  /** The calls of which it took a row since somebody listens. */
  readonly held = new Set<string>()
  readonly #store: CallStore
  readonly #listeners = new Set<() => void>()
  #stop: (() => void) | undefined
  #poll: Poll | undefined
  #list: Stretch | null = null
  /** The ids of a list that pages were added to. */
  #listed = { list: nothing, ids: new Set<string>() }
  /** The rows of the ids that were shown last, after so many changes of rows. */
  #shown: Shown = nothingShown
  /** The requests of a list run one after the other. */
  #work: Promise<void> = Promise.resolve()
  #refreshing = false
  #loading = false
  #view = nothingYet
  /** Calls of which a hint said that they changed, and that were not read since. */
  #changed = new Set<string>()
  /** What changed is not known: all that is listed is read anew. */
  #lost = false

  constructor(store: CallStore, query: CallsQuery) {
    this.#store = store
    this.query = query
  }

  /** Follows the desk while somebody listens. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    this.#stop ??= this.#follow()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#stop?.()
      this.#stop = undefined
    }
  }

  readonly view = (): CallsView => this.#view

  #follow(): () => void {
    let soon: ReturnType<typeof setTimeout> | undefined
    const { desk } = this.#store
    const forget = this.#store.use(this)
    this.#list = null
    this.#shown = nothingShown
    const stop = desk.subscribe((hint) => {
      if (!this.#concerns(hint)) return
      soon ??= setTimeout(() => {
        soon = undefined
        void this.refresh()
      }, gatherMs)
    })
    this.#poll = pollWithoutEvents(desk, {
      everyMs: pollMs,
      ask: () => void this.refresh(),
      answered: () => this.#view.error === null,
    })
    void this.refresh()
    return () => {
      stop()
      clearTimeout(soon)
      this.#poll?.stop()
      forget()
    }
  }

  /** Notes what a hint says, and whether it is about calls. After a connection the desk tells what was missed by itself. */
  #concerns({ kind, callId }: Hint): boolean {
    if (kind === 'connected') return true
    if (kind.includes('.') && !(/^(call|inputs|journal)\./.test(kind) && mayChange(this.query, this.#list, kind, callId))) return false
    if (callId === undefined) this.#lost = true
    else this.#changed.add(callId)
    return true
  }

  /** Asks for the newest calls, and for older ones that changed. */
  refresh(): Promise<void> {
    this.#poll?.look()
    if (this.#refreshing) return this.#work
    this.#refreshing = true
    return this.#run(async () => {
      this.#refreshing = false // what is hinted from now on leads to another one
      const [changed, lost] = [this.#changed, this.#lost]
      this.#changed = new Set()
      this.#lost = false
      try {
        await this.#refresh(changed, lost)
      } catch (thrown) {
        this.#changed = new Set([...changed, ...this.#changed])
        this.#lost ||= lost
        throw thrown
      }
    })
  }

  async #refresh(changed: ReadonlySet<string>, lost: boolean): Promise<void> {
    const list = this.#list
    if (lost) this.#store.doubt()
    const top = await this.#top(list ?? nothing, lost ? reachesEnd : reaches)
    if (list === null || lost || top.next === null || !reaches(list, top)) {
      this.#list = top
      return
    }
    const news = new Set(top.ids)
    const old = [...changed].filter((id) => !news.has(id))
    if (old.length > maxSingles) {
      this.#list = await this.#top(list, reachesEnd)
      return
    }
    let next = laidOver(list, top)
    for (const call of await Promise.all(old.map((id) => this.#single(id)))) {
      if (call) next = placed(next, call, belongsTo(this.query, call), this.#store.row)
    }
    this.#list = next
  }

  /** The newest calls, page after page until they are enough for what is listed, or very many. */
  async #top(list: Stretch, isEnough: (list: Stretch, top: Stretch) => boolean): Promise<Stretch> {
    let top = nothing
    const listed = new Set<string>()
    for (let pages = 0; pages < maxPages; pages++) {
      const page = await this.#page(top.next)
      top = extended(top, page, listed)
      if (page.next === null || isEnough(list, top)) break
    }
    return top
  }

  /** Loads the page below what is listed. */
  readonly more = (): Promise<void> => {
    if (!this.#list || this.#list.next === null || this.#loading) return Promise.resolve()
    this.#loading = true
    return this.#run(async () => {
      try {
        const list = this.#list
        if (list && list.next !== null) this.#list = this.#extended(list, await this.#page(list.next))
      } finally {
        this.#loading = false
      }
    })
  }

  /** Adds a page without looking at all that is listed. */
  #extended(list: Stretch, page: Stretch): Stretch {
    const ids = this.#listed.list === list ? this.#listed.ids : new Set(list.ids)
    this.#listed = { list: extended(list, page, ids), ids }
    return this.#listed.list
  }

  async #page(cursor: string | null): Promise<Stretch> {
    const { calls, next } = await this.#store.desk.calls({ cursor, ...this.query })
    for (const call of calls) this.#store.keep(call, this)
    return { ids: calls.map(({ id }) => id), next }
  }

  /** A call as it is now; null: it is none any more. */
  async #single(id: string): Promise<Call | null> {
    try {
      const call = await this.#store.desk.call(id)
      this.#store.keep(call, this)
      return call
    } catch (thrown) {
      if (DeskError.from(thrown).code === 'not_found') return null
      throw thrown
    }
  }

  #run(job: () => Promise<void>): Promise<void> {
    this.#work = this.#work
      .then(job)
      .then(() => null, (thrown: unknown) => DeskError.from(thrown))
      .then((error) => {
        this.show(error)
      })
    return this.#work
  }

  /** Shows the rows as the store has them. */
  show(error = this.#view.error): void {
    const list = this.#list
    const calls = list && this.#rows(list.ids)
    this.#view = { calls, complete: list && { from: list.ids[0] ?? null, to: list.next }, error }
    for (const tell of this.#listeners) tell()
  }

  /** The rows of ids. Where none changed and only older ones were added, those of before are not looked up again. */
  #rows(ids: readonly string[]): readonly Call[] {
    const { changes } = this.#store
    const shown = this.#shown
    const stays = shown.changes === changes && shown.calls.length === shown.ids.length && commonLength(shown.ids, ids) === shown.ids.length
    const before = stays ? shown.calls : []
    const added = ids.slice(before.length).flatMap((id) => this.#store.row(id) ?? [])
    const calls = stays && added.length === 0 ? before : before.concat(added)
    this.#shown = { ids, calls, changes }
    return calls
  }
}
