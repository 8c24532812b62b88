import { useSyncExternalStore } from 'react'
import { useI18n } from './i18n'
import { moment } from './when'

/** So often ages are looked at: they are told in minutes. */
const lookMs = 10_000

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const tell of [...listeners]) tell()
  }, lookMs)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** How long ago something was, in the person's language; the moment is in the title. ahead is by how many milliseconds the desk's clock is. */
export function Age({ at, ahead = 0 }: { at: string; ahead?: number }) {
  const { language } = useI18n()
  const shown = useSyncExternalStore(subscribe, () => ageText(at, language, Date.now() + ahead))
  return (
    <time dateTime={at} title={at}>
      {shown}
    </time>
  )
}

const formats = new Map<string, Intl.RelativeTimeFormat>()

/** auto has the word "now"; of days it would say "yesterday" of what may be the day before. */
function formatOf(language: string, numeric: 'auto' | 'always'): Intl.RelativeTimeFormat {
  const key = `${language} ${numeric}`
  const format = formats.get(key) ?? new Intl.RelativeTimeFormat(language, { numeric, style: 'short' })
  formats.set(key, format)
  return format
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** "now" within the first minute, then minutes, hours, days; after a week the day itself. */
export function ageText(at: string, language: string, now: number): string {
  const ms = now - Date.parse(at)
  if (Number.isNaN(ms) || ms >= 7 * day) return moment(at, language, new Date(now))
  const ago = (count: number, unit: 'minute' | 'hour' | 'day') => formatOf(language, 'always').format(-count, unit)
  if (ms < minute) return formatOf(language, 'auto').format(0, 'second')
  if (ms < hour) return ago(Math.floor(ms / minute), 'minute')
  if (ms < day) return ago(Math.floor(ms / hour), 'hour')
  return ago(Math.floor(ms / day), 'day')
}
