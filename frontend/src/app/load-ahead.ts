import type { Desk } from '../desk/desk'
import { preload } from '../desk/live'
import type { Params, Resource } from '../desk/resources'
import { beginQueue } from '../features/approvals/queue/use-pending-queue'
import { hasLeft, isOver, keepOver, wasOver } from '../features/welcome/left'
import type { Language } from '../i18n/catalogue'
import { loadWelcome } from './load-welcome'
import { screens } from './screens'
import { screenAt } from './use-screen'

/** How long what was loaded is kept for the page, which then keeps what it shows by itself. */
const keptMs = 10_000

/** What the first screen shows of a desk. */
const shown = ['settings', 'trouble', 'agents', 'info', 'renewed'] as const

/** How long the page waits for what it shows at first: each time that it is drawn anew takes longer than most answers. */
const aheadMs = 150

/**
 * Asks for what the page shows at first before it is drawn, so that it is drawn once, with that in it. It ends when that is there, a call
 * waits, or it has taken long. Only the first of the screens welcomes, and takes the rules for that, before what else is shown: more
 * is asked for by what they say.
 */
export async function loadAhead(desk: Desk, language: Language): Promise<void> {
  const queue = beginQueue(desk)
  const leaves = [queue.leave]
  const first = async <N extends Resource>(name: N, params: Params<N>) => {
    const asked = preload(desk, name, params)
    leaves.push(asked.leave)
    return (await asked.first).data
  }
  setTimeout(() => {
    for (const leave of leaves) leave()
  }, keptMs)
  const welcome = async () => {
    if (!wasOver()) void loadWelcome(language, false)
    const steps = await first('firstSteps', [])
    if (steps && isOver(steps, hasLeft())) keepOver()
    else if (steps) await Promise.all([loadWelcome(language, steps.calls !== 'none'), first('apps', [true])])
  }
  const welcomes = screenAt(window.location.hash) === screens[0]
  const all = Promise.all([...(welcomes ? [welcome()] : []), ...shown.map((name) => first(name, []))])
  await Promise.race([all, queue.waits, new Promise((over) => setTimeout(over, aheadMs))])
}
