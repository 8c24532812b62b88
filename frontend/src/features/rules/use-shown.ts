import { useDeferredValue, useMemo, useState } from 'react'
import type { Finding, Rule } from '../../desk/types'
import { byRule, shadowed } from './findings'
import { wanted, type RuleFilter } from './rule-filter'
import { useAround } from './rules-context'
import { withGone } from './use-edits'

interface Shown {
  /** What is odd about each rule. */
  odd: ReturnType<typeof byRule>
  /** The rules in view. */
  shown: readonly Rule[]
}

/** The rules that are looked for, and those that stay in view whatever is. */
export function useShown(findings: readonly Finding[], filter: RuleFilter, open: ReadonlyMap<string, Rule>, held: ReadonlySet<string>): Shown {
  const { rules } = useAround()
  const [now] = useState(() => Date.now())
  const looked = useDeferredValue(filter)
  const odd = useMemo(() => byRule(findings), [findings])
  const all = useMemo(() => withGone(rules, open), [rules, open])
  const shown = useMemo(() => {
    const fits = wanted(looked, shadowed(findings), now)
    return all.filter((rule) => held.has(rule.id) || fits(rule))
  }, [all, held, looked, findings, now])
  return { odd, shown }
}
