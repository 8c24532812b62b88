import { useMemo } from 'react'
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

/** Today the time is enough; before, the day belongs to it. */
export function moment(at: string, language: string, now: Date): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return at
  const today = date.toDateString() === now.toDateString()
  return new Intl.DateTimeFormat(language, { ...(today ? {} : { dateStyle: 'medium' as const }), timeStyle: today ? 'medium' : 'short' }).format(date)
}
