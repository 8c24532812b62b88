import { useCallback, useMemo, useState } from 'react'
import type { Rule } from '../../desk/types'

export interface Edits {
  /** The rules that are written now, each as it was seen when that began. */
  open: ReadonlyMap<string, Rule>
  /** Rules that stay in view whatever is looked for: those, and the ones just done. */
  held: ReadonlySet<string>
  edit: (id: string, seen: Rule | null) => void
  /** What is done needs not stay in view any longer. */
  forget: () => void
}

/** Which rules are being written: none is lost by scrolling, by a search, or by someone who deletes it. */
export function useEdits(): Edits {
  const [open, setOpen] = useState<ReadonlyMap<string, Rule>>(new Map())
  const [done, setDone] = useState<ReadonlySet<string>>(new Set())
  const edit = useCallback((id: string, seen: Rule | null) => {
    setOpen((old) => {
      const now = new Map(old)
      if (seen) now.set(id, seen)
      else now.delete(id)
      return now
    })
    setDone((old) => new Set([...old, id]))
  }, [])
  const forget = useCallback(() => {
    setDone(new Set())
  }, [])
  const held = useMemo(() => new Set([...done, ...open.keys()]), [done, open])
  return { open, held, edit, forget }
}

/** The rules, and among them those that are written though someone deleted them. */
export function withGone(rules: readonly Rule[], open: ReadonlyMap<string, Rule>): readonly Rule[] {
  const known = new Set(open.size === 0 ? [] : rules.map(({ id }) => id))
  const all = [...rules]
  for (const rule of open.values()) {
    if (known.has(rule.id)) continue
    const at = all.findIndex(({ priority }) => priority < rule.priority)
    all.splice(at < 0 ? all.length : at, 0, rule)
  }
  return all
}
