import { useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import type { DeskError } from '../../desk/desk-error'
import type { Rule } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { following, targetOf, type Moving } from './arrange'
import { ruleName } from './rule-draft'
import { useAround } from './rules-context'
import { useI18n } from './screen'
import { single } from './undo-steps'

export interface Move {
  /** The move that the desk is asked for, until the list shows what came of it. */
  underway: Moving | null
  error: DeskError | null
  /** What just happened, for those who do not see it. */
  said: string
  pickedUp: (at: Moving) => void
  steppedTo: (at: Moving) => void
  putBack: () => void
  /** Asks the desk for it: one transaction, that can be taken back. */
  commit: (to: Moving) => Promise<void>
}

/** Moves a rule among those in view, and tells each step in words. */
export function useMove(shown: readonly Rule[]): Move {
  const { t } = useI18n()
  const desk = useDesk()
  const { rules, policyVersion, changed, offer } = useAround()
  const [underway, setUnderway] = useState<Moving | null>(null)
  const [said, setSaid] = useState('')

  const nameOf = (rule: Rule | undefined) => (rule ? ruleName(rule, t('rules.anyServer'), t('rules.anyTool')) : '')
  const spot = (at: Moving) => {
    const { before, place } = targetOf(rules, shown, at)
    const where = { place, total: rules.length }
    return before ? t('rules.spotAbove', { ...where, next: nameOf(before) }) : t('rules.spotEnd', where)
  }
  const putBack = () => {
    setSaid(t('rules.putBack'))
  }
  const { error, fail, run } = useAction(async (rule: Rule, to: Moving) => {
    setSaid('')
    await desk.moveRule(rule.id, targetOf(rules, shown, to).before?.id ?? null, policyVersion)
    setSaid(`${t('rules.dropped')} ${spot(to)}`)
  })
  return {
    underway,
    error,
    said,
    putBack,
    pickedUp: (at) => {
      fail(null)
      setSaid(`${t('rules.grabbed', { rule: nameOf(shown[at.to]) })} ${spot(at)}`)
    },
    steppedTo: (at) => {
      setSaid(spot(at))
    },
    commit: async (to) => {
      const rule = rules.find((r) => r.id === to.id)
      const was = following(rules, to.id)
      if (!rule || targetOf(rules, shown, to).before?.id === was?.id) {
        putBack()
        return
      }
      setUnderway(to)
      const refused = await run(rule, to)
      await changed()
      setUnderway(null)
      if (!refused) offer(single({ kind: 'moved', rule, before: was?.id ?? null }))
    },
  }
}
