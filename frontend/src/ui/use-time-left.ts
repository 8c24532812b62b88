import { useCallback, useSyncExternalStore } from 'react'
import { wake } from '../time/wake'

/**
 * Whole seconds until a moment, never below 0; null when there is no moment.
 * ahead is by how many milliseconds the clock that counts is ahead of this machine's.
 */
export function useTimeLeft(until: string | null, ahead = 0): number | null {
  const subscribe = useCallback((tell: () => void) => (until === null ? never() : everySecond(Date.parse(until) - ahead, tell)), [until, ahead])
  return useSyncExternalStore(subscribe, () => (until === null ? null : secondsLeft(until, Date.now() + ahead)))
}

const never = () => () => undefined

/** Tells whenever one second less is left until the end, and no more after it. */
function everySecond(end: number, tell: () => void): () => void {
  const next = () => {
    const left = end - Date.now()
    return left > 0 ? left % 1000 || 1000 : Infinity
  }
  const waking = wake(() => {
    tell()
    return next()
  })
  waking.within(next())
  return waking.stop
}

export function secondsLeft(until: string, now: number): number {
  return Math.max(0, Math.ceil((Date.parse(until) - now) / 1000))
}

/** 272 is 4:32, 3872 is 1:04:32. */
export function clockText(seconds: number): string {
  const two = (n: number) => String(n).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor(seconds / 60) % 60
  return hours > 0 ? `${String(hours)}:${two(minutes)}:${two(seconds % 60)}` : `${String(minutes)}:${two(seconds % 60)}`
}
