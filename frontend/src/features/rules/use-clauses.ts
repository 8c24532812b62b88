import { useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import type { DeskError } from '../../desk/desk-error'
import { useAnswer } from '../../desk/queries'
import type { Clause, Wording } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { thinkingMs, useAround } from './rules-context'

export interface Clauses {
  /** What the condition says; null where it cannot be said in words, or is not known yet. */
  clauses: readonly Clause[] | null
  /** It cannot be said in words. */
  advanced: boolean
  busy: boolean
  error: DeskError | null
  /** Asks the desk for the condition of other clauses. */
  set: (clauses: readonly Clause[]) => Promise<boolean>
}

/** A condition that is being written, as clauses. The desk alone reads CEL and makes it. */
export function useClauses(condition: string, onChange: (condition: string) => void): Clauses {
  const desk = useDesk()
  const { wordings } = useAround()
  const [made, setMade] = useState<Wording | null>(null)
  const empty = condition.trim() === ''
  const known = made?.condition === condition ? made : wordings.get(condition)
  const asked = useAnswer(thinkingMs, 'wordings', empty || known ? null : [[condition]])
  const wording = known ?? (asked.current ? asked.data?.[0] : undefined)
  const { busy, error, run } = useAction(async (clauses: readonly Clause[]) => {
    if (clauses.length === 0) {
      onChange('')
      return
    }
    const made = await desk.conditionOf(clauses)
    setMade(made)
    onChange(made.condition)
  })
  return {
    clauses: empty ? [] : wording && !wording.advanced ? wording.clauses : null,
    advanced: wording?.advanced === true,
    busy,
    error,
    set: async (clauses) => (await run(clauses)) === null,
  }
}
