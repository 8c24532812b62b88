import { useSyncExternalStore } from 'react'
import { wake, type Waking } from '../time/wake'

const listeners = new Set<() => void>()
let waking: Waking | undefined
/** The day that the listeners were told last. */
let today = dayNow()

/** Midnight before now, in the person's zone, as a number. */
function dayNow(): number {
  return new Date().setHours(0, 0, 0, 0)
}

/** Milliseconds until the next midnight, in the person's zone. */
function untilTomorrow(): number {
  return new Date().setHours(24, 0, 0, 0) - Date.now()
}

function look(): number {
  if (dayNow() !== today) {
    today = dayNow()
    for (const tell of [...listeners]) tell()
  }
  return untilTomorrow()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  waking ??= wake(look)
  waking.within(untilTomorrow())
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    waking?.stop()
    waking = undefined
  }
}

/** The day that it is, by midnight before it; another one from the next midnight on. One timer serves all that is drawn. */
export function useToday(): number {
  return useSyncExternalStore(subscribe, dayNow)
}
