import { useEffect, useEffectEvent, useState } from 'react'
import type { Desk } from '../../desk/desk'
import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'

export interface Answer<A> {
  /** The answer to the last question that was answered; null before the first, and while nothing is asked. */
  data: A | null
  error: DeskError | null
  /** It answers what is asked now. While it does not, it is of what was written before. */
  current: boolean
}

interface Known<A> {
  to: string
  data: A | null
  error: DeskError | null
}

const thinkingMs = 250

/**
 * Asks the desk what would come of something that is being written: a moment
 * after it was last changed, and again when the rules have another version.
 * Null asks nothing. Only the answer to the newest question counts.
 */
export function useAnswer<Q, A>(question: Q | null, version: string, ask: (desk: Desk, question: Q) => Promise<A>, afterMs = thinkingMs): Answer<A> {
  const desk = useDesk()
  const [known, setKnown] = useState<Known<A> | null>(null)
  const to = question === null ? '' : JSON.stringify([version, question])
  const put = useEffectEvent(() => (question === null ? null : ask(desk, question)))
  useEffect(() => {
    if (to === '') return
    let over = false
    const settle = (answer: Omit<Known<A>, 'to'>) => {
      if (!over) setKnown({ to, ...answer })
    }
    const timer = setTimeout(() => {
      put()?.then(
        (data) => {
          settle({ data, error: null })
        },
        (thrown: unknown) => {
          settle({ data: null, error: DeskError.from(thrown) })
        },
      )
    }, afterMs)
    return () => {
      over = true
      clearTimeout(timer)
    }
  }, [to, desk, afterMs])
  return known && to !== '' ? { data: known.data, error: known.error, current: known.to === to } : { data: null, error: null, current: false }
}
