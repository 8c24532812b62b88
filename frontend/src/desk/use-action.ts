import { useRef, useState } from 'react'
import { useDesk } from './desk-context'
import { DeskError } from './desk-error'
import { renew } from './follow'
import type { Resource } from './resources'

/** Something that a person has the desk do. A are the particulars of each time. */
export interface Action<A extends unknown[]> {
  /** What is under way; null while nothing is. */
  asked: A | null
  busy: boolean
  /** Why the last try failed. */
  error: DeskError | null
  /** Does it; gives why not, null when it is done. */
  run: (...particulars: A) => Promise<DeskError | null>
  /** Shows another error, or none any more. */
  fail: (error: DeskError | null) => void
}

interface Options {
  /** What is loaded again afterwards, done or not, before it is over. */
  renews?: readonly Resource[]
  /**
   * The last wish wins. Each is sent at once, whatever is under way: holding must not wait for a release that hangs. Of two
   * that were under way together nobody knows which the desk took last, so the last wish is then sent once more.
   */
  lastWins?: boolean
}

/** Sends what a person wants, and says that it is under way and why the desk refuses it. */
export function useAction<A extends unknown[]>(
  send: (...particulars: A) => Promise<unknown>,
  { renews = [], lastWins = false }: Options = {},
): Action<A> {
  const desk = useDesk()
  const [asked, setAsked] = useState<A | null>(null)
  const [error, setError] = useState<DeskError | null>(null)
  const flight = useRef({ wishes: 0, underWay: 0, crossed: false, last: null as A | null })
  const run = async (...particulars: A): Promise<DeskError | null> => {
    const now = flight.current
    const mine = ++now.wishes
    now.last = particulars
    now.crossed ||= now.underWay > 0
    now.underWay++
    setAsked(particulars)
    if (!lastWins) setError(null)
    const refused = await send(...particulars).then(() => null, DeskError.from)
    setError(refused)
    now.underWay--
    if (now.underWay > 0) return refused
    const { crossed } = now
    now.crossed = false
    if (lastWins && crossed) return run(...now.last)
    await renew(desk, renews)
    if (lastWins ? mine === now.wishes : now.underWay === 0) setAsked(null)
    return refused
  }
  return { asked, busy: asked !== null, error, run, fail: setError }
}
