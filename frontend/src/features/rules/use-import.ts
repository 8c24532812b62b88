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

const compare = (desk: Desk, { document, mode }: { document: string; mode: ImportMode }) => desk.diffRules(document, mode)

/** A document of rules on its way in: all of it or nothing, and only over the rules that its difference was shown for. */
export function useImport(onTaken: (taken: RuleDiff) => void): Import {
  const desk = useDesk()
  const { policyVersion, changed } = useAround()
  const [document, setDocument] = useState('')
  const [mode, setMode] = useState<ImportMode>('merge')
  const [accepted, setAccepted] = useState<ReadonlySet<string>>(new Set())
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState<DeskError | null>(null)
  const written = document.trim() !== ''
  const fault = useMemo(() => (document.trim() === '' ? null : jsonFault(document)), [document])
  const { data: diff, error } = useAnswer(written && !fault ? { document, mode } : null, policyVersion, compare)
  const restart = () => {
    setAccepted(new Set())
    setRefused(null)
  }
  const differs = diff !== null && diff.added.length + diff.changed.length + diff.removed.length > 0
  return {
    document,
    mode,
    fault,
    diff,
    accepted,
    ready: differs && diff.allows.every((id) => accepted.has(id)),
    busy,
    error: refused ?? error,
    read: (text) => {
      setDocument(text)
      restart()
    },
    choose: (next) => {
      setMode(next)
      restart()
    },
    accept: (id, on) => {
      setAccepted((old) => new Set(on ? [...old, id] : [...old].filter((other) => other !== id)))
    },
    take: async () => {
      if (!diff) return
      setBusy(true)
      setRefused(null)
      try {
        const taken = await desk.importRules(document, mode, diff.policyVersion, [...accepted])
        await changed()
        onTaken(taken)
      } catch (thrown) {
        setRefused(DeskError.from(thrown))
        setAccepted(new Set())
        await changed()
      }
      setBusy(false)
    },
  }
}
