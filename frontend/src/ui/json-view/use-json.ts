import { useEffect, useMemo, useState } from 'react'
import { countSteps, type Counts } from './count-json'
import { firstLayout, foldAbove, layoutJson, layoutSteps, type Layout } from './layout-json'
import { drain, inSlices } from './steps'

export interface JsonReading {
  layout: Layout
  /** null while a long text is still being read. */
  counts: Counts | null
  /** Lays out what is folded, too. It takes a moment with a long text. */
  unfold: () => void
  unfolding: boolean
}

/** Reads a JSON text: a short one at once; a long one in slices, its beginning and its end first. */
export function useJson(raw: string): JsonReading {
  const long = raw.length > foldAbove
  const [whole, setWhole] = useState(false)
  const first = useMemo(() => (long ? firstLayout(raw) : layoutJson(raw, whole)), [raw, long, whole])
  const short = useMemo(() => (long ? null : drain(countSteps(raw))), [raw, long])
  const laidOut = useSlices(long ? raw : null, layoutSteps, whole)
  const counted = useSlices(long ? raw : null, countSteps)
  return {
    layout: laidOut?.result ?? first,
    counts: short ?? counted?.result ?? null,
    unfold: () => {
      setWhole(true)
    },
    unfolding: long && whole && laidOut?.option !== true,
  }
}

/** What steps come to with a text, in slices, and the option that this was with; null before the first of a text, and where it is null. */
function useSlices<T>(raw: string | null, steps: (raw: string, option: boolean) => Generator<undefined, T>, option = false) {
  const [done, setDone] = useState<{ raw: string; option: boolean; result: T } | null>(null)
  useEffect(() => {
    if (raw === null) return
    return inSlices(steps(raw, option), (result) => {
      setDone({ raw, option, result })
    })
  }, [raw, steps, option])
  return raw !== null && done?.raw === raw ? done : null
}
