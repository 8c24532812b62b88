import { useSyncExternalStore } from 'react'
import type { Desk } from './desk'
import { useDesk } from './desk-context'
import { follow, type Following } from './follow'
import { loaded, nothing, type Loaded } from './loaded'
import { keyOf, load, type Key, type KeyArguments, type Params, type Resource, type Result } from './resources'

/**
 * A resource as a store for React, for what is on the page from its start: screens that are loaded later
 * have a cache of queries (queries.ts), which is too large for that. Of answers that overtake each other the one
 * asked for last stays.
 */
class Live<N extends Resource> {
  readonly #desk: Desk
  readonly #key: Key<N>
  readonly #onLeft: () => void
  readonly #listeners = new Set<() => void>()
  #state: Loaded<Result<N>> = nothing
  #asked = 0
  #shown = 0
  #following: Following | undefined

  constructor(desk: Desk, key: Key<N>, onLeft: () => void) {
    this.#desk = desk
    this.#key = key
    this.#onLeft = onLeft
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    this.#following ??= this.#begin()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#following?.stop()
      this.#following = undefined
      this.#state = nothing
      this.#onLeft()
    }
  }

  readonly read = (): Loaded<Result<N>> => this.#state

  #begin(): Following {
    void this.ask()
    return follow(this.#desk, {
      renew: (names) => (names.includes(this.#key[0]) ? this.ask() : Promise.resolve()),
      unanswered: () => (this.#shown < this.#asked || this.#state.error ? [this.#key[0]] : []),
    })
  }

  readonly ask = async (): Promise<void> => {
    const mine = ++this.#asked
    this.#following?.look()
    const next = await loaded(load(this.#desk, this.#key), this.read)
    if (mine < this.#shown) return
    this.#shown = mine
    this.#state = next
    for (const tell of this.#listeners) tell()
  }
}

const stores = new WeakMap<Desk, Map<string, unknown>>()

function liveOf<N extends Resource>(desk: Desk, key: Key<N>): Live<N> {
  const all = stores.get(desk) ?? new Map<string, unknown>()
  stores.set(desk, all)
  const name = JSON.stringify(key)
  const live =
    (all.get(name) as Live<N> | undefined) ??
    new Live(desk, key, () => {
      all.delete(name)
    })
  all.set(name, live)
  return live
}

/** Loads a resource before anything shows it, and keeps it until leave is called. */
export function preload<N extends Resource>(desk: Desk, name: N, params: Params<N>): { first: Promise<Loaded<Result<N>>>; leave: () => void } {
  const live = liveOf<N>(desk, [name, params, ''])
  let leave: () => void = () => undefined
  const first = new Promise<Loaded<Result<N>>>((resolve) => {
    leave = live.subscribe(() => {
      resolve(live.read())
    })
  })
  return { first, leave }
}

const noStore = { subscribe: () => () => undefined, read: () => nothing, ask: () => Promise.resolve() }

/** A resource as it is now, and a way to ask for it again. What is shown in several places is loaded once. */
export function useLive<N extends Resource>(name: N, ...rest: KeyArguments<N>): Loaded<Result<N>> & { reload: () => Promise<void> } {
  const desk = useDesk()
  const key = keyOf(name, rest)
  const live = key ? liveOf(desk, key) : noStore
  return { ...useSyncExternalStore<Loaded<Result<N>>>(live.subscribe, live.read), reload: live.ask }
}
