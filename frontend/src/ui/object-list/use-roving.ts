import { useState } from 'react'

/**
 * Which of many rows Tab leads to: the one that had the focus last. When it
 * leaves, it is the one that has come to its place, or the last one.
 */
export function useRoving(keys: readonly string[], first: number) {
  const [last, setLast] = useState({ key: '', index: first })
  const found = keys[last.index] === last.key ? last.index : keys.indexOf(last.key)
  const at = found >= 0 ? found : Math.max(0, Math.min(last.index, keys.length - 1))
  const key = keys[at] ?? ''
  if (last.key !== '' && key !== '' && (found !== last.index || key !== last.key)) setLast({ key, index: at })
  return {
    at,
    /** Empty where there is no row. */
    key,
    take: (taken: string) => {
      const index = keys.indexOf(taken)
      if (index >= 0 && taken !== last.key) setLast({ key: taken, index })
    },
  }
}
