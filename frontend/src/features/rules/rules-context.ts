import { createContext, use } from 'react'
import type { RuleSaved } from '../../desk/desk'
import type { Rule, Wording } from '../../desk/types'
import type { Undoable } from './undo-steps'

/** The desk is asked what would come of something that is written so long after it was last changed. */
export const thinkingMs = 250

/** What every part of the rules screen may know and do. */
export interface RulesAround {
  rules: readonly Rule[]
  /** Each rule by its id, and its place from 1. */
  known: ReadonlyMap<string, { rule: Rule; place: number }>
  /** What the conditions of the rules say, by their CEL, as far as the desk has said it. */
  wordings: ReadonlyMap<string, Wording>
  policyVersion: number
  /** Asks for the rules again: something was changed, or found to be another than shown. */
  changed: (saved?: RuleSaved) => Promise<void>
  /** Offers to take something back. */
  offer: (done: Undoable) => void
  /** Shows a rule in the list and marks it; gently, where it is not in view already. */
  go: (id: string, gently?: boolean) => void
}

const RulesContext = createContext<RulesAround | null>(null)

export const RulesProvider = RulesContext.Provider

export function useAround(): RulesAround {
  const around = use(RulesContext)
  if (!around) throw new Error('this stands outside of the rules screen')
  return around
}
