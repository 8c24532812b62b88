import { useCallback, useSyncExternalStore } from 'react'
import { wake, type Waking } from '../time/wake'
import { cached } from './cached'
import { useI18n } from './i18n'
import { moment } from './when'

/** Ages are drawn anew so often at most: they are told in minutes. */
const atMostMs = 10_000

/** What is drawn of ages, with the moments that they count from, by this machine's clock. */
const drawn = new Map<() => void, number>()
let waking: Waking | undefined

/** Draws all anew; gives in how many milliseconds the first of them will be another. */
function look(): number {
  for (const tell of [...drawn.keys()]) tell()
  const now = Date.now()
  return Math.max(atMostMs, Math.min(...[...drawn.values()].map((since) => untilOther(now - since))))
}

function follow(since: number, tell: () => void): () => void {
  drawn.set(tell, since)
  waking ??= wake(look)
  waking.within(Math.max(atMostMs, untilOther(Date.now() - since)))
  return () => {
    drawn.delete(tell)
    if (drawn.size > 0) return
    waking?.stop()
    waking = undefined
  }
}

/** How long ago something was, in the person's language; the moment is in the title. ahead is by how many milliseconds the desk's clock is. */
export function Age({ at, ahead = 0 }: { at: string; ahead?: number }) {
  const { language } = useI18n()
  const subscribe = useCallback((tell: () => void) => follow(Date.parse(at) - ahead, tell), [at, ahead])
  const shown = useSyncExternalStore(subscribe, () => ageText(at, language, Date.now() + ahead))
  return (
    <time dateTime={at} title={at}>
      {shown}
    </time>
  )
}

/** auto has the word "now"; of days it would say "yesterday" of what may be the day before. */
const formats = {
  auto: cached((language = '') => new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' })),
  always: cached((language = '') => new Intl.RelativeTimeFormat(language, { numeric: 'always', style: 'short' })),
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** In how many milliseconds an age is told otherwise; Infinity where that is a matter of the day. */
export function untilOther(ms: number): number {
  if (Number.isNaN(ms) || ms >= 7 * day) return Infinity
  const unit = ms < hour ? minute : ms < day ? hour : day
  return unit - (ms % unit)
}

/** "now" within the first minute, then minutes, hours, days; after a week the day itself. */
export function ageText(at: string, language: string, now: number): string {
  const ms = now - Date.parse(at)
  if (Number.isNaN(ms) || ms >= 7 * day) return moment(at, language, new Date(now))
  const ago = (count: number, unit: 'minute' | 'hour' | 'day') => formats.always(language).format(-count, unit)
  if (ms < minute) return formats.auto(language).format(0, 'second')
  if (ms < hour) return ago(Math.floor(ms / minute), 'minute')
  if (ms < day) return ago(Math.floor(ms / hour), 'hour')
  return ago(Math.floor(ms / day), 'day')
}
