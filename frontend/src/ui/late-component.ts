import { useSyncExternalStore, type ComponentType } from 'react'

interface Loading<P> {
  /** Null while it is not there. */
  component: ComponentType<P> | null
  failed: boolean
}

/** A component that is loaded by itself right after the first screen, as a store for React. */
export class LateComponent<P> {
  readonly #load: () => Promise<ComponentType<P>>
  readonly #listeners = new Set<() => void>()
  #now: Loading<P> = { component: null, failed: false }

  constructor(load: () => Promise<ComponentType<P>>) {
    this.#load = load
    void this.reload()
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  readonly read = (): Loading<P> => this.#now

  readonly reload = async (): Promise<void> => {
    const component = await this.#load().catch(() => null)
    this.#now = { component, failed: component === null }
    for (const tell of this.#listeners) tell()
  }
}

export function useLate<P>(late: LateComponent<P>): Loading<P> & { reload: () => Promise<void> } {
  return { ...useSyncExternalStore(late.subscribe, late.read), reload: late.reload }
}
