import { useState } from 'react'
import type { Desk } from '../../desk/desk'
import { useDesk } from '../../desk/desk-context'
import type { DeskError } from '../../desk/desk-error'
import type { Rule } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { useAround } from './rules-context'
import type { Step } from './undo-steps'
import type { Picks } from './use-picks'

type Kind = 'switchedOn' | 'switchedOff' | 'deleted'

async function change(desk: Desk, kind: Kind, rule: Rule): Promise<Step> {
  if (kind === 'deleted') {
    const { document } = await desk.deleteRule(rule.id, rule.updatedAt)
    return { kind, rule, document }
  }
  const { rule: now } = await desk.updateRule(rule.id, { enabled: kind === 'switchedOn' }, rule.updatedAt)
  return { kind: 'edited', rule, now }
}

export interface Bulk {
  busy: boolean
  error: DeskError | null
  /** The rule that the desk refused to change. */
  stoppedAt: Rule | null
  act: (kind: Kind) => Promise<void>
}

/** Changes the chosen rules one after another, each as it was seen; the first that cannot be changed ends it. What was done can be taken back at once. */
export function useBulk({ rules, set }: Picks): Bulk {
  const desk = useDesk()
  const { changed, offer } = useAround()
  const [stoppedAt, setStoppedAt] = useState<Rule | null>(null)
  const { busy, error, run } = useAction(async (kind: Kind) => {
    const todo = rules.filter(({ enabled }) => kind === 'deleted' || enabled !== (kind === 'switchedOn'))
    const steps: Step[] = []
    setStoppedAt(null)
    try {
      for (const rule of todo) {
        setStoppedAt(rule)
        steps.push(await change(desk, kind, rule))
      }
      setStoppedAt(null)
    } finally {
      set(rules.filter((rule) => todo.includes(rule) && !steps.some((step) => step.rule === rule)))
      if (steps.length > 0) offer({ kind, steps })
    }
  })
  const act = async (kind: Kind) => {
    await run(kind)
    await changed()
  }
  return { busy, error, stoppedAt, act }
}
