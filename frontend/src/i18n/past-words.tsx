import type { ReactNode } from 'react'
import { useI18n } from './i18n'
import { When } from './when'

interface Matches {
  calls: number
  approved: number
  declined: number
  allowed: number
  other: number
  maxRisk: 'low' | 'medium' | 'high'
  first: string | null
}

const answers = ['approved', 'declined', 'allowed', 'other'] as const

/** What a rule would have matched: how many past calls, how they were answered, the highest risk among them, since when. */
export function PastWords({ past }: { past: Matches }): ReactNode {
  const { t, tx } = useI18n()
  if (past.calls === 0) return t('past.none')
  const said = answers.filter((answer) => past[answer] > 0).map((answer) => t(`past.${answer}`, { count: past[answer] }))
  const words = [t('past.calls', { count: past.calls }), ...said, t('past.risk', { risk: t(`risk.${past.maxRisk}`) })].join(' · ')
  return past.first === null ? words : (
    <>
      {words} · {tx('past.since', { time: <When at={past.first} /> })}
    </>
  )
}
