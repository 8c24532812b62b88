import type { ReactNode } from 'react'
import { useI18n } from './i18n'

interface Limit {
  calls: number
  seconds: number
}

export const limitUnits = { hours: 3600, minutes: 60, seconds: 1 } as const

export type LimitUnit = keyof typeof limitUnits

/** The largest unit in which a time is a whole number. */
export function unitOf(seconds: number): LimitUnit {
  return seconds % 3600 === 0 ? 'hours' : seconds % 60 === 0 ? 'minutes' : 'seconds'
}

/** Limits of rules, and that one is reached, in the person's language; quote shows the id of a rule. */
export function useLimitWords(quote: (text: string) => ReactNode) {
  const { language, t, tx } = useI18n()
  const time = (seconds: number) => {
    const unit = unitOf(seconds)
    return new Intl.NumberFormat(language, { style: 'unit', unit: unit.slice(0, -1), unitDisplay: 'long' }).format(seconds / limitUnits[unit])
  }
  return {
    most: ({ calls, seconds }: Limit) => t('limit.most', { count: calls, time: time(seconds) }),
    reached: ({ code, ruleId, calls, seconds }: Limit & { code: 'limit_reached' | 'brake'; ruleId: string }) =>
      code === 'brake'
        ? t('limit.brake', { count: calls, time: time(seconds) })
        : tx('limit.reached', { count: calls, time: time(seconds), rule: quote(ruleId) }),
  }
}
