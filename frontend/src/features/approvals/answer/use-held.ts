import { useEffect, useEffectEvent, useState } from 'react'

interface Held<T> {
  given: T
  /** What was in view when it was given. */
  of: string
  until: string
  ms: number
}

export interface Holding<T> {
  /** When what was given is sent; null while nothing is held. */
  until: string | null
  hold: (given: T, ms: number) => void
  drop: () => void
}

interface Options<T> {
  /** What is in view; where it changes, nothing is sent. */
  inView: string
  onSend: (given: T) => void
  onChanged: () => void
}

/** Holds an answer back for a while in which it can be taken back. Only what is still in view when the time is over is answered. */
export function useHeld<T>({ inView, onSend, onChanged }: Options<T>): Holding<T> {
  const [held, setHeld] = useState<Held<T> | null>(null)
  const release = useEffectEvent((now: Held<T>) => {
    setHeld(null)
    if (now.of === inView) onSend(now.given)
    else onChanged()
  })
  const changed = held !== null && held.of !== inView
  useEffect(() => {
    if (held === null) return
    const timer = setTimeout(
      () => {
        release(held)
      },
      changed ? 0 : held.ms,
    )
    return () => {
      clearTimeout(timer)
    }
  }, [held, changed])
  return {
    until: held?.until ?? null,
    hold: (given, ms) => {
      setHeld({ given, of: inView, until: new Date(Date.now() + ms).toISOString(), ms })
    },
    drop: () => {
      setHeld(null)
    },
  }
}
