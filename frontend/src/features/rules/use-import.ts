import { useMemo, useState } from 'react'
import type { Desk } from '../../desk/desk'
import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'
import type { ImportMode, RuleDiff } from '../../desk/types'
import { jsonFault } from './json-fault'
import { useAround } from './rules-context'
import { useAnswer } from './use-answer'

export interface Import {
  document: string
  mode: ImportMode
  /** Where the document stops being JSON. */
  fault: { line: number; column: number } | null
  /** What it would change; null before that is known. */
  diff: RuleDiff | null
  /** The difference is that of the document, the mode and the rules as they are now. Only over such a one anything is ticked or taken. */
  current: boolean
  /** Ids of rules that the person lets allow. */
  accepted: ReadonlySet<string>
  /** Whether everything that newly allows is ticked, and something is there to take. */
  ready: boolean
  busy: boolean
  error: DeskError | null
  read: (document: string) => void
  choose: (mode: ImportMode) => void
  accept: (id: string, on: boolean) => void
  take: () => Promise<void>
}

const noTicks = { of: null, ids: new Set<string>() }
const compare = (desk: Desk, { document, mode }: { document: string; mode: ImportMode }) => desk.diffRules(document, mode)

/** A document of rules on its way in: all of it or nothing, and only over the rules that its difference was shown for. */
export function useImport(onTaken: (taken: RuleDiff) => void): Import {
  const desk = useDesk()
  const { policyVersion, changed } = useAround()
  const [document, setDocument] = useState('')
  const [mode, setMode] = useState<ImportMode>('merge')
  const [ticked, setTicked] = useState<{ of: RuleDiff | null; ids: ReadonlySet<string> }>(noTicks)
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState<DeskError | null>(null)
  const written = document.trim() !== ''
  const fault = useMemo(() => (document.trim() === '' ? null : jsonFault(document)), [document])
  const { data: diff, error, current } = useAnswer(written && !fault ? { document, mode } : null, policyVersion, compare)
  const accepted = current && ticked.of === diff ? ticked.ids : noTicks.ids
  const differs = diff !== null && diff.added.length + diff.changed.length + diff.removed.length > 0
  return {
    document,
    mode,
    fault,
    diff,
    current,
    accepted,
    ready: current && differs && diff.allows.every((id) => accepted.has(id)),
    busy,
    error: refused ?? error,
    read: (text) => {
      setDocument(text)
      setRefused(null)
    },
    choose: (next) => {
      setMode(next)
      setRefused(null)
    },
    accept: (id, on) => {
      if (current) setTicked({ of: diff, ids: new Set(on ? [...accepted, id] : [...accepted].filter((other) => other !== id)) })
    },
    take: async () => {
      if (!diff || !current) return
      setBusy(true)
      setRefused(null)
      try {
        const taken = await desk.importRules(document, mode, diff.policyVersion, [...accepted])
        await changed()
        onTaken(taken)
      } catch (thrown) {
        setRefused(DeskError.from(thrown))
        setTicked(noTicks)
        await changed()
      }
      setBusy(false)
    },
  }
}
