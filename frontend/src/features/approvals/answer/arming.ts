/**
 * When Approve may be pressed: after a time of uninterrupted looking at the call
 * as it is now. A dialog that comes up under the hands of someone who types or
 * clicks elsewhere must not take that for a yes.
 */
import type { Attention, Risk } from '../../../desk/types'
import type { AttentionLine } from './attention-line'

/** How long Approve stays inert. The desk counts the same by its own clock; the style sheet's fill takes as long. */
export const armingMs: Record<Risk, number> = { low: 700, medium: 700, high: 1500 }

/** How soon a report that the desk did not take is repeated. */
export const reportAgainMs = 1000

/**
 * idle: nobody looks. reporting: the desk is being told that somebody does, and unheard: it
 * did not take that. filling and armed: since it took it.
 */
export type Phase = 'idle' | 'reporting' | 'unheard' | 'filling' | 'armed'

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

/** What of an event tells a press from another: the key, or the pointer. */
type Press = Partial<Pick<KeyboardEvent, 'code' | 'repeat'> & Pick<PointerEvent, 'pointerId'>>

/** What is looked at, and for how long it must be. */
export interface Shown extends Attention {
  needMs: number
}

/**
 * Counts the time of attention in a window, from the moment that the desk has
 * taken the report of it: the desk counts from there too, so that what looks
 * armed here is armed there.
 */
export class ArmingClock {
  readonly #line: AttentionLine
  #phase: Phase = 'idle'
  #shown: Shown | null = null
  #since = 0
  #cycle = 0
  /** What is pressed since before the clock was armed: pointers and keys, and which of their presses it is. */
  readonly #early = new Map<string, number>()
  #presses = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #listeners = new Set<() => void>()

  constructor(line: AttentionLine) {
    this.#line = line
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  readonly phase = (): Phase => this.#phase

  /** Grows with every restart, so that the fill starts over. */
  readonly cycle = (): number => this.#cycle

  /** Whether a press that ends now counts: it must have begun when the clock was armed already. */
  readonly takes = (): boolean => this.#phase === 'armed' && this.#early.size === 0

  /** Starts the time over for what is shown, and counts until the returned function is called. */
  readonly watch = (shown: Shown): (() => void) => {
    this.#shown = shown
    const look = () => {
      if (document.visibilityState === 'visible' && document.hasFocus()) this.#restart()
      else this.#interrupt()
    }
    // Presses are heard before the element that they are for hears them. The window's own
    // focus must not be: on the way down there come those of every element.
    const heard: [EventTarget, string, (event: Event & Press) => void, boolean][] = [
      [window, 'focus', this.#restart, false],
      [window, 'blur', this.#interrupt, false],
      [document, 'visibilitychange', look, false],
      [document, 'pointerdown', this.#begin, true],
      [document, 'keydown', this.#begin, true],
      [document, 'pointerup', this.#end, true],
      [document, 'pointercancel', this.#end, true],
      [document, 'keyup', this.#end, true],
    ]
    for (const [target, name, listener, capture] of heard) target.addEventListener(name, listener, capture)
    look()
    return () => {
      for (const [target, name, listener, capture] of heard) target.removeEventListener(name, listener, capture)
      this.#rest()
    }
  }

  /** The desk wants a call in view for longer than is usual. */
  readonly lengthen = (callId: string, ms: number): void => {
    if (this.#shown?.callId !== callId || ms <= this.#shown.needMs) return
    this.#shown = { ...this.#shown, needMs: ms }
    if (this.#phase === 'armed') this.#be('filling')
    if (this.#phase === 'filling') this.#ripen()
  }

  readonly #restart = (): void => {
    this.#cycle++
    this.#report()
  }

  /** What is pressed when the window loses the attention may end elsewhere. */
  readonly #interrupt = (): void => {
    this.#early.clear()
    this.#rest()
  }

  #rest(): void {
    if (this.#phase === 'idle') return
    this.#cycle++
    this.#be('idle')
    void this.#line.report(null)
  }

  /** Input that arrives is attention too, wherever the browser reports no focus. It is not an answer yet. */
  readonly #begin = (event: Press): void => {
    if (this.#phase === 'idle') this.#restart()
    if (this.#phase !== 'armed') this.#early.set(pressOf(event), ++this.#presses)
    // A new press stands for itself: the end of an older one may never have been told.
    else if (event.repeat !== true) this.#early.clear()
  }

  /** The click of a press comes after its end, and still belongs to it; the next press may come before both are over. */
  readonly #end = (event: Press): void => {
    const name = pressOf(event)
    const mine = this.#early.get(name)
    setTimeout(() => {
      if (this.#early.get(name) === mine) this.#early.delete(name)
    })
  }

  #report(): void {
    const mine = this.#cycle
    const { callId = '', rev = 0 } = this.#shown ?? {}
    this.#be('reporting')
    void this.#line.report({ callId, rev }).then((taken) => {
      if (mine !== this.#cycle) return
      if (taken) this.#fill()
      else this.#be('unheard', reportAgainMs, () => {
        this.#report()
      })
    })
  }

  #fill(): void {
    this.#since = performance.now()
    this.#be('filling')
    this.#ripen()
  }

  /** Timers may fire a little early: ask again until it is so. */
  #ripen(): void {
    const left = this.#since + (this.#shown?.needMs ?? 0) - performance.now()
    clearTimeout(this.#timer)
    if (left <= 0) this.#be('armed')
    else this.#timer = setTimeout(() => {
      this.#ripen()
    }, Math.max(1, left))
  }

  #be(phase: Phase, ms?: number, then?: () => void): void {
    clearTimeout(this.#timer)
    this.#phase = phase
    if (then) this.#timer = setTimeout(then, ms)
    for (const tell of this.#listeners) tell()
  }
}

/** Tells one press from others that last at the same time. */
function pressOf({ code, pointerId }: Press): string {
  return code ?? `pointer ${String(pointerId)}`
}
