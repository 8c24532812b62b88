import type { Desk } from '../desk/desk'
import { preload } from '../desk/live'
import { beginQueue } from '../features/approvals/queue/use-pending-queue'
import { hasLeft, isOver } from '../features/welcome/left'
import type { Language } from '../i18n/catalogue'
import { loadWelcome } from './load-welcome'
import { screens } from './screens'
import { screenAt } from './use-screen'

/** How long what was loaded is kept for the page, which then keeps what it shows by itself. */
const keptMs = 10_000

/** What the first screen shows of a desk. */
const shown = ['settings', 'trouble', 'agents', 'info', 'renewed'] as const

/**
 * Asks for what the page shows at first before it is drawn, so that it is drawn once, with that in it. Only the first of the screens
 * welcomes, and takes the rules for that.
 */
export function loadAhead(desk: Desk, language: Language): void {
  let welcomed = false
  const leaves = [beginQueue(desk), ...shown.map((name) => preload(desk, name, []))]
  if (screenAt(window.location.hash) === screens[0]) {
    leaves.push(
      preload(desk, 'firstSteps', [], ({ data }) => {
        if (!data || welcomed || isOver(data, hasLeft())) return
        welcomed = true
        loadWelcome(language)
        leaves.push(preload(desk, 'apps', [true]))
      }),
    )
  }
  setTimeout(() => {
    for (const leave of leaves) leave()
  }, keptMs)
}
