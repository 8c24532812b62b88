/** An instant as the person's own time, yyyy-mm-dd hh:mm, with seconds where there are some; '' for none. */
export function localTime(at: string | Date | null): string {
  const date = new Date(at ?? '')
  if (Number.isNaN(date.getTime())) return ''
  const two = (n: number) => String(n).padStart(2, '0')
  const seconds = date.getSeconds() === 0 ? '' : `:${two(date.getSeconds())}`
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}${seconds}`
}

const written = /^(\d{4})-(\d\d?)-(\d\d?)(?:[T ]+(\d\d?):(\d\d)(?::(\d\d))?)?$/

/** A person's own time as an instant: null for none, undefined for what is no time. A day alone means its end. */
export function instantOf(local: string): string | null | undefined {
  if (local.trim() === '') return null
  const found = written.exec(local.trim())
  if (!found) return undefined
  const [year = 0, month = 0, day = 0, hour, minute = 0, second = 0] = found.slice(1).map((text) => (text === undefined ? undefined : Number(text)))
  const date = new Date(2000, 0, 1)
  date.setFullYear(year, month - 1, day)
  date.setHours(hour ?? 23, hour === undefined ? 59 : minute, hour === undefined ? 59 : second, 0)
  const same = date.getFullYear() === year && date.getMonth() === month - 1 && date.getDate() === day
  return same && (hour ?? 0) < 24 && minute < 60 && second < 60 ? date.toISOString() : undefined
}
