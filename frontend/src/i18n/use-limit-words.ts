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

/** Limits of rules in the person's language. */
export function useLimitWords() {
  const { language, t } = useI18n()
  const time = (seconds: number) => {
    const unit = unitOf(seconds)
    return new Intl.NumberFormat(language, { style: 'unit', unit: unit.slice(0, -1), unitDisplay: 'long' }).format(seconds / limitUnits[unit])
  }
  return { most: ({ calls, seconds }: Limit) => t('limit.most', { count: calls, time: time(seconds) }) }
}
