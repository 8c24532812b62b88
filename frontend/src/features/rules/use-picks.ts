import { useCallback, useMemo, useState } from 'react'
import type { Rule } from '../../desk/types'

export interface Picks {
  /** The rules that are chosen, in the order of judgement. */
  rules: readonly Rule[]
  ids: ReadonlySet<string>
  pick: (id: string, on: boolean) => void
  /** Chooses these and no others. */
  set: (rules: readonly Rule[]) => void
}

/** Which rules are chosen, to be changed together. One that is gone is chosen no more. */
export function usePicks(all: readonly Rule[]): Picks {
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const rules = useMemo(() => (picked.size === 0 ? [] : all.filter(({ id }) => picked.has(id))), [all, picked])
  const ids = useMemo(() => new Set(rules.map(({ id }) => id)), [rules])
  const pick = useCallback((id: string, on: boolean) => {
    setPicked((old) => (on ? new Set([...old, id]) : new Set([...old].filter((other) => other !== id))))
  }, [])
  const set = useCallback((chosen: readonly Rule[]) => {
    setPicked(new Set(chosen.map(({ id }) => id)))
  }, [])
  return { rules, ids, pick, set }
}
