/**
 * When Approve may be pressed: after a time of uninterrupted looking at the call
 * as it is now. A dialog that comes up under the hands of someone who types or
 * clicks elsewhere must not take that for a yes.
 */

/** How long Approve stays inert. The style sheet's fill takes as long. */
export const armingMs = 700

export type Phase = 'idle' | 'filling' | 'armed'

/** since: when the page began to have the person's attention; null while it has not. */
export function isArmed(since: number | null, now: number): boolean {
  return since !== null && now - since >= armingMs
}

/** What of an event tells whether a person made it, here and once. */
export interface Gesture {
  isTrusted: boolean
  /** A key held down. */
  repeat?: boolean
  /** Enter that ends a word of an input method. */
  isComposing?: boolean
  /** Which click of a double click; 0 from the keyboard. */
  detail?: number
}

/** Whether an event may carry an answer. trusts is the browser's own mark; tests replace it. */
export function isAnswer(event: Gesture, trusts: (event: Gesture) => boolean = (e) => e.isTrusted): boolean {
  return trusts(event) && event.repeat !== true && event.isComposing !== true && (event.detail ?? 0) < 2
}

/** Counts the time of attention in a window. */
export class ArmingClock {
  #since: number | null = null
  #cycle = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #listeners = new Set<() => void>()

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  readonly phase = (): Phase => {
    if (this.#since === null) return 'idle'
    return isArmed(this.#since, performance.now()) ? 'armed' : 'filling'
  }

  /** Grows with every restart, so that the fill starts over. */
  readonly cycle = (): number => this.#cycle

  /** Starts the time over and counts until the returned function is called. */
  readonly watch = (): (() => void) => {
    const restart = () => {
      this.#start(performance.now())
    }
    const interrupt = () => {
      this.#start(null)
    }
    const look = () => {
      if (document.visibilityState === 'visible') restart()
      else interrupt()
    }
    // Input that arrives is attention too, wherever the browser reports no focus. It is not an answer yet.
    const attend = () => {
      if (this.#since === null) restart()
    }
    if (document.hasFocus()) restart()
    else interrupt()
    window.addEventListener('focus', restart)
    window.addEventListener('blur', interrupt)
    document.addEventListener('visibilitychange', look)
    document.addEventListener('pointerdown', attend, true)
    document.addEventListener('keydown', attend, true)
    return () => {
      interrupt()
      window.removeEventListener('focus', restart)
      window.removeEventListener('blur', interrupt)
      document.removeEventListener('visibilitychange', look)
      document.removeEventListener('pointerdown', attend, true)
      document.removeEventListener('keydown', attend, true)
    }
  }

  #start(since: number | null): void {
    clearTimeout(this.#timer)
    this.#since = since
    this.#cycle++
    if (since !== null) this.#ripenAt(since + armingMs)
    this.#tell()
  }

  /** Timers may fire a little early: ask again until it is so. */
  #ripenAt(at: number): void {
    this.#timer = setTimeout(() => {
      if (this.phase() === 'filling') this.#ripenAt(at)
      else this.#tell()
    }, Math.max(1, at - performance.now()))
  }

  #tell(): void {
    for (const tell of this.#listeners) tell()
  }
}
