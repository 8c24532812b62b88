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
  const [laidOut, setLaidOut] = useState<{ raw: string; whole: boolean; layout: Layout } | null>(null)
  const [counted, setCounted] = useState<{ raw: string; counts: Counts } | null>(null)
  useEffect(() => {
    if (!long) return
    return inSlices(layoutSteps(raw, whole), (layout) => {
      setLaidOut({ raw, whole, layout })
    })
  }, [raw, long, whole])
  useEffect(() => {
    if (!long) return
    return inSlices(countSteps(raw), (counts) => {
      setCounted({ raw, counts })
    })
  }, [raw, long])
  const mine = laidOut?.raw === raw ? laidOut : null
  return {
    layout: mine?.layout ?? first,
    counts: short ?? (counted?.raw === raw ? counted.counts : null),
    unfold: () => {
      setWhole(true)
    },
    unfolding: long && whole && mine?.whole !== true,
  }
}
