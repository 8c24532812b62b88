import { useMemo } from 'react'
import { cached } from './cached'
import { useI18n } from './i18n'
import { useToday } from './use-today'

/** A moment in the person's language and zone; the exact time is in the title. */
export function When({ at }: { at: string }) {
  const { language } = useI18n()
  const today = useToday()
  const shown = useMemo(() => moment(at, language, new Date(today)), [at, language, today])
  return (
    <time dateTime={at} title={at}>
      {shown}
    </time>
  )
}

/** A format keeps the zone in which it was made: the offset of the zone is part of the key. */
const times = cached((language = '') => new Intl.DateTimeFormat(language, { timeStyle: 'medium' }))
const days = cached((language = '') => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }))

/** Today the time is enough; before, the day belongs to it. */
export function moment(at: string, language: string, now: Date): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return at
  const today = date.toDateString() === now.toDateString()
  return (today ? times : days)(language, String(date.getTimezoneOffset())).format(date)
}
