import { useSyncExternalStore } from 'react'
import { wake } from './wake'

const hourMs = 3_600_000

/** When the hour that it is has begun, by the clock of UTC. */
function hourNow(): number {
  return Math.floor(Date.now() / hourMs) * hourMs
}

function subscribe(tell: () => void): () => void {
  const left = () => hourNow() + hourMs - Date.now()
  const waking = wake(() => {
    tell()
    return left()
  })
  waking.within(left())
  return waking.stop
}

/** The hour that it is, as the number of milliseconds of its beginning: another one from the next hour on, on a page that stays open. */
export function useHour(): number {
  return useSyncExternalStore(subscribe, hourNow)
}
