import { useMemo } from 'react'
import type { Bucket } from '../../desk/types'
import { useI18n } from './screen'
import { ownZone } from './zone'

export interface BucketWords {
  when: (bucket: Bucket) => string
  rate: (value: number | null) => string
  wait: (value: number | null) => string
  count: (value: number | null) => string
}

const hourMs = 3600_000

/** Questions for each hundred calls; null where there were none. */
export function perHundred({ calls, questions }: Bucket): number | null {
  return calls === 0 ? null : (100 * questions) / calls
}

/** What a bucket and its numbers are called in the person's language. */
export function useBucketWords(hours: boolean): BucketWords {
  const { language } = useI18n()
  return useMemo(() => {
    const timeZone = ownZone() // by which the desk has counted
    const day = new Intl.DateTimeFormat(language, { timeZone, month: 'short', day: 'numeric' })
    const clock = { timeZone, weekday: 'short', hour: '2-digit', minute: '2-digit' } as const
    const hour = new Intl.DateTimeFormat(language, clock)
    const twice = new Intl.DateTimeFormat(language, { ...clock, timeZoneName: 'short' })
    /** An hour that the clocks show twice is told apart by their zone. */
    const hourAt = (at: number) => ([-1, 1].some((step) => hour.format(at + step * hourMs) === hour.format(at)) ? twice : hour).format(at)
    const number = new Intl.NumberFormat(language, { maximumFractionDigits: 0 })
    const unit = (name: string, digits: number) =>
      new Intl.NumberFormat(language, { style: 'unit', unit: name, unitDisplay: 'short', maximumFractionDigits: digits })
    const [seconds, minutes, longer] = [unit('second', 1), unit('minute', 1), unit('hour', 1)]
    const wait = (ms: number) => (ms < 60_000 ? seconds.format(ms / 1000) : ms < 3600_000 ? minutes.format(ms / 60_000) : longer.format(ms / 3600_000))
    return {
      when: ({ from }) => (hours ? hourAt(Date.parse(from)) : day.format(Date.parse(from))),
      rate: (value) => (value === null ? '–' : number.format(value)),
      wait: (value) => (value === null ? '–' : wait(value)),
      count: (value) => number.format(value ?? 0),
    }
  }, [language, hours])
}
