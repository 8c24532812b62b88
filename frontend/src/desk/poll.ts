import type { Desk } from './desk'

interface Polling {
  everyMs: number
  /** anew says that the page is seen again. */
  ask: (anew: boolean) => void
  /** Whether the newest request was answered: one that failed or hangs is made again, whatever events come. */
  answered: () => boolean
}

export interface Poll {
  /** Something was asked for: a while later it is looked at whether that was answered. */
  look: () => void
  stop: () => void
}

/**
 * Asks again and again while no events of the desk come, or what was asked for is not answered, until it is stopped.
 * While neither is so, no timer runs. A page that nobody sees asks nothing; it asks once when it is seen again.
 */
export function pollWithoutEvents(desk: Desk, { everyMs, ask, answered }: Polling): Poll {
  let timer: ReturnType<typeof setTimeout> | undefined
  const seen = () => document.visibilityState === 'visible'
  const look = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      if (!seen() || (desk.hasEvents() && answered())) return
      ask(false)
      look()
    }, everyMs)
  }
  const shown = () => {
    if (!seen()) return
    ask(true)
    look()
  }
  document.addEventListener('visibilitychange', shown)
  const stopEvents = desk.onEvents(look)
  look()
  return {
    look,
    stop: () => {
      clearTimeout(timer)
      stopEvents()
      document.removeEventListener('visibilitychange', shown)
    },
  }
}
