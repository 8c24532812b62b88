import { useState } from 'react'
import type { Effect } from '../../desk/types'
import { noFilter, type RuleFilter } from './rule-filter'

/** What is looked for: at first, and whenever the address says another, the effect of the address. */
export function useFilter(effect: Effect | ''): [RuleFilter, (filter: RuleFilter) => void] {
  const [filter, setFilter] = useState<RuleFilter>({ ...noFilter, effect })
  const [followed, setFollowed] = useState(effect)
  if (followed !== effect) {
    setFollowed(effect)
    if (effect !== '') setFilter({ ...noFilter, effect })
  }
  return [filter, setFilter]
}
