import type { Desk } from './desk'

/**
 * Asks again and again while no events of the desk come, or where they do not tell of
 * what is asked for, but never in a page that nobody sees, until the returned function is called.
 */
export function pollWithoutEvents(desk: Desk, everyMs: number, ask: () => void, told = true): () => void {
  const timer = setInterval(() => {
    if (!(told && desk.hasEvents()) && document.visibilityState === 'visible') ask()
  }, everyMs)
  return () => {
    clearInterval(timer)
  }
}
