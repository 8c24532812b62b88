import { useMemo, useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import type { DeskError } from '../../desk/desk-error'
import { useAnswer } from '../../desk/queries'
import type { ImportMode, RuleDiff } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { jsonFault } from './json-fault'
import { thinkingMs, useAround } from './rules-context'

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

/** A document of rules on its way in: all of it or nothing, and only over the rules that its difference was shown for. */
export function useImport(onTaken: (taken: RuleDiff) => void): Import {
  const desk = useDesk()
  const { policyVersion, changed } = useAround()
  const [document, setDocument] = useState('')
  const [mode, setMode] = useState<ImportMode>('merge')
  const [ticked, setTicked] = useState<{ of: RuleDiff | null; ids: ReadonlySet<string> }>(noTicks)
  const written = document.trim() !== ''
  const fault = useMemo(() => (document.trim() === '' ? null : jsonFault(document)), [document])
  const { data: diff, error, current } = useAnswer(thinkingMs, 'ruleDiff', written && !fault ? [document, mode] : null, policyVersion)
  const accepted = current && ticked.of === diff ? ticked.ids : noTicks.ids
  const { busy, error: refused, fail, run } = useAction(async (shown: RuleDiff) => {
    const taken = await desk.importRules(document, mode, shown.policyVersion, [...accepted])
    await changed()
    onTaken(taken)
  })
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
      fail(null)
    },
    choose: (next) => {
      setMode(next)
      fail(null)
    },
    accept: (id, on) => {
      if (current) setTicked({ of: diff, ids: new Set(on ? [...accepted, id] : [...accepted].filter((other) => other !== id)) })
    },
    take: async () => {
      if (!diff || !current) return
      if ((await run(diff)) === null) return
      setTicked(noTicks)
      await changed()
    },
  }
}
