import { useRef, useState } from 'react'
import type { Desk } from '../../desk/desk'
import { useDesk } from '../../desk/desk-context'
import { DeskError, faultAt } from '../../desk/desk-error'
import { useAnswer } from '../../desk/queries'
import type { Clause, Wording } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { thinkingMs, useAround } from './rules-context'
import { useI18n } from './screen'

export interface Clauses {
  /** What the condition says; null where it cannot be said in words, or is not known yet. */
  clauses: readonly Clause[] | null
  /** It cannot be said in words. */
  advanced: boolean
  busy: boolean
  error: DeskError | null
  /** Asks the desk for the condition of other clauses. */
  set: (clauses: readonly Clause[]) => Promise<boolean>
  /** The condition once the desk has answered, with a clause that is written but not added yet. Fails with a DeskError, also where the clause cannot be added. */
  settled: (written: Clause | null) => Promise<string>
}

/** A condition that is being written, as clauses. The desk alone reads CEL and makes it. */
export function useClauses(condition: string, onChange: (condition: string) => void): Clauses {
  const { t } = useI18n()
  const desk = useDesk()
  const { wordings } = useAround()
  const [made, setMade] = useState<Wording | null>(null)
  const empty = condition.trim() === ''
  const known = made?.condition === condition ? made : wordings.get(condition)
  const asked = useAnswer(thinkingMs, 'wordings', empty || known ? null : [[condition]])
  const wording = known ?? (asked.current ? asked.data?.[0] : undefined)
  const underWay = useRef<{ clauses: readonly Clause[]; condition: Promise<string> } | null>(null)
  const make = async (clauses: readonly Clause[]) => {
    if (clauses.length === 0) {
      onChange('')
      return ''
    }
    const made = await desk.conditionOf(clauses)
    setMade(made)
    onChange(made.condition)
    return made.condition
  }
  const { busy, error, run } = useAction(async (clauses: readonly Clause[]) => {
    const mine = { clauses, condition: make(clauses) }
    underWay.current = mine
    try {
      await mine.condition
    } finally {
      if (underWay.current === mine) underWay.current = null
    }
  })
  const clauses = empty ? [] : wording && !wording.advanced ? wording.clauses : null
  const settled = async (written: Clause | null) => {
    const now = underWay.current
    if (written === null) return now ? now.condition : condition
    const before = now?.clauses ?? clauses ?? (await inWords(desk, condition))
    if (before === null) throw new DeskError({ code: 'invalid', fault: faultAt('condition'), message: t('rules.narrow.notAdded') })
    if (before.some((clause) => JSON.stringify(clause) === JSON.stringify(written))) return now ? now.condition : condition
    await now?.condition
    return make([...before, written])
  }
  return {
    clauses,
    settled,
    advanced: wording?.advanced === true,
    busy,
    error,
    set: async (clauses) => (await run(clauses)) === null,
  }
}

/** The clauses of a condition; null where it cannot be said in words. */
async function inWords(desk: Desk, condition: string): Promise<readonly Clause[] | null> {
  const [wording] = await desk.wordings([condition])
  return wording && !wording.advanced ? wording.clauses : null
}
