/** A timer looks so often at least: it stands still while the machine sleeps. */
const longestMs = 3_600_000

export interface Waking {
  /** Looks again at a moment so many milliseconds from now, if it would not look before. */
  within: (ms: number) => void
  stop: () => void
}

/**
 * A timer that rings only when there is something to do: look does it, and says in how many milliseconds there is
 * more (Infinity: nothing that is known). In a page that nobody sees it does not ring; when the page is seen again it does at once.
 */
export function wake(look: () => number): Waking {
  let timer: ReturnType<typeof setTimeout> | undefined
  let due = Infinity
  const seen = () => document.visibilityState === 'visible'
  const sleep = () => {
    clearTimeout(timer)
    due = Infinity
  }
  const within = (ms: number) => {
    const now = Date.now()
    const at = now + Math.min(ms, longestMs)
    const looksBefore = due <= at && due > now // one that is due and did not ring stood still in a machine that slept
    if (ms === Infinity || looksBefore || !seen()) return
    clearTimeout(timer)
    due = at
    timer = setTimeout(ring, at - now)
  }
  const ring = () => {
    sleep()
    if (seen()) within(look())
  }
  document.addEventListener('visibilitychange', ring)
  return {
    within,
    stop: () => {
      sleep()
      document.removeEventListener('visibilitychange', ring)
    },
  }
}
