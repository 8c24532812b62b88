import { useSyncExternalStore, type ComponentType } from 'react'

interface Loading<P> {
  /** Null while it is not there. */
  component: ComponentType<P> | null
  failed: boolean
}

/** Lets style sheets that did not come be asked for again, which they are only when their links are gone. */
export function forgetSheets(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('head link[rel="stylesheet"]')) if (!link.sheet) link.remove()
}

/** How long it waits for the first screen, which what is loaded meanwhile would only hold up. */
const waitMs = 1_000

/** A component that is loaded by itself after the first screen, or when it is first shown, as a store for React. */
export class LateComponent<P> {
  readonly #load: () => Promise<ComponentType<P>>
  readonly #listeners = new Set<() => void>()
  #now: Loading<P> = { component: null, failed: false }
  /** Runs out once; undefined: it is being loaded, or was. */
  #waiting: ReturnType<typeof setTimeout> | undefined

  constructor(load: () => Promise<ComponentType<P>>) {
    this.#load = load
    this.#waiting = setTimeout(() => void this.reload(), waitMs)
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    if (this.#waiting !== undefined) void this.reload()
    return () => {
      this.#listeners.delete(listener)
    }
  }

  readonly read = (): Loading<P> => this.#now

  readonly reload = async (): Promise<void> => {
    clearTimeout(this.#waiting)
    this.#waiting = undefined
    const component = await this.#load().catch(() => null)
    if (component === null) forgetSheets()
    this.#now = { component, failed: component === null }
    for (const tell of this.#listeners) tell()
  }
}

export function useLate<P>(late: LateComponent<P>): Loading<P> & { reload: () => Promise<void> } {
  return { ...useSyncExternalStore(late.subscribe, late.read), reload: late.reload }
}
