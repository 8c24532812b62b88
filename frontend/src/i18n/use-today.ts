import { useSyncExternalStore } from 'react'

/** A page left open over midnight, or asleep, looks so often whether it is another day. */
const lookMs = 20_000

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
/** The day that the listeners were told last. */
let today = dayNow()

/** Midnight before now, in the person's zone, as a number. */
function dayNow(): number {
  return new Date().setHours(0, 0, 0, 0)
}

function look(): void {
  if (dayNow() === today) return
  today = dayNow()
  for (const tell of [...listeners]) tell()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(look, lookMs)
  document.addEventListener('visibilitychange', look)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
    document.removeEventListener('visibilitychange', look)
  }
}

/** The day that it is, by midnight before it; another one from the next midnight on. One timer serves all that is drawn. */
export function useToday(): number {
  return useSyncExternalStore(subscribe, dayNow)
}
