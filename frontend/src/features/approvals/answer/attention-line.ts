import type { Desk } from '../../../desk/desk'
import type { Attention } from '../../../desk/types'

interface Report {
  shown: Attention | null
  done: (taken: boolean) => void
}

/**
 * Tells the desk what is in view, one report after the other, so that none
 * overtakes another: a "no longer" that comes late would take the next one back.
 * Of the reports that wait, only the last is still true and is sent.
 */
export class AttentionLine {
  readonly #send: (shown: Attention | null) => Promise<void>
  #next: Report | null = null
  #sending = false

  constructor(send: (shown: Attention | null) => Promise<void>) {
    this.#send = send
  }

  /** Whether the desk has taken it; false also when a later report stood before it was sent. */
  report(shown: Attention | null): Promise<boolean> {
    this.#next?.done(false)
    return new Promise((done) => {
      this.#next = { shown, done }
      if (!this.#sending) void this.#sendAll()
    })
  }

  async #sendAll(): Promise<void> {
    this.#sending = true
    for (let report = this.#take(); report; report = this.#take()) {
      report.done(await this.#send(report.shown).then(taken, refused))
    }
    this.#sending = false
  }

  #take(): Report | null {
    const next = this.#next
    this.#next = null
    return next
  }
}

const taken = () => true
const refused = () => false

const lines = new WeakMap<Desk, AttentionLine>()

/** The line to a desk: one for the whole page, because the next dialog must not overtake the one before. */
export function attentionLine(desk: Desk): AttentionLine {
  const line = lines.get(desk) ?? new AttentionLine((shown) => desk.attend(shown))
  lines.set(desk, line)
  return line
}
