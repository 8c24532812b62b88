import type { Desk } from './desk'

interface Polling {
  everyMs: number
  ask: () => void
  /** Whether the newest request was answered: one that failed or hangs is made again, whatever events come. */
  answered: () => boolean
  /** Whether events tell of what is asked for. */
  told?: boolean
}

/**
 * Asks again and again while no events of the desk come, until the returned function is called. A page
 * that nobody sees asks nothing; it asks once when it is seen again.
 */
export function pollWithoutEvents(desk: Desk, { everyMs, ask, answered, told = true }: Polling): () => void {
  const seen = () => document.visibilityState === 'visible'
  const timer = setInterval(() => {
    if (seen() && !(told && desk.hasEvents() && answered())) ask()
  }, everyMs)
  const shown = () => {
    if (seen()) ask()
  }
  document.addEventListener('visibilitychange', shown)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', shown)
  }
}
