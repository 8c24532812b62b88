import { useSyncExternalStore } from 'react'

const tickMs = 250

/**
 * Whole seconds until a moment, never below 0; null when there is no moment.
 * ahead is by how many milliseconds the clock that counts is ahead of this machine's.
 */
export function useTimeLeft(until: string | null, ahead = 0): number | null {
  return useSyncExternalStore(everyTick, () => (until === null ? null : secondsLeft(until, Date.now() + ahead)))
}

function everyTick(tell: () => void): () => void {
  const timer = setInterval(tell, tickMs)
  return () => {
    clearInterval(timer)
  }
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
