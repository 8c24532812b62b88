import { useCallback, useMemo, useState } from 'react'
import type { Rule } from '../../desk/types'
import { useKept } from '../../ui/use-kept'

export interface Edits {
  /** The rules that are written now, each as it was seen when that began. */
  open: ReadonlyMap<string, Rule>
  /** Rules that stay in view whatever is looked for: those, and the ones just done. */
  held: ReadonlySet<string>
  edit: (id: string, seen: Rule | null) => void
  /** What is done needs not stay in view any longer. */
  forget: () => void
}

const noEdits: readonly (readonly [string, Rule])[] = []

/** Which rules are being written: none is lost by scrolling, by a search, or by someone who deletes it. */
export function useEdits(): Edits {
  const [entries, setEntries] = useKept('rules', '', noEdits)
  const open = useMemo(() => new Map(entries), [entries])
  const [done, setDone] = useState<ReadonlySet<string>>(new Set())
  const edit = useCallback((id: string, seen: Rule | null) => {
    setEntries((old) => [...old.filter(([other]) => other !== id), ...(seen ? [[id, seen] as const] : [])])
    setDone((old) => new Set([...old, id]))
  }, [setEntries])
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
