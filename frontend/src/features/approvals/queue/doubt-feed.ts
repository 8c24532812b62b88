import type { Desk } from '../../../desk/desk'
import { pollWithoutEvents } from '../../../desk/poll'
import type { Call } from '../../../desk/types'

/** Hints of a moment lead to one request: a doubt comes a minute after its call at the earliest. */
const gatherMs = 300
const pollMs = 15_000

/** Follows the calls that are in doubt, oldest first, until the returned function is called. */
export function followDoubts(desk: Desk, onDoubts: (doubts: readonly Call[]) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let [asked, told, known] = [0, 0, 0]
  const ask = async () => {
    timer = undefined
    const mine = ++asked
    const page = await desk.calls({ cursor: null, statuses: ['in_doubt'] }).catch(() => null)
    if (!page || mine < told) return
    told = mine
    known = page.calls.length
    onDoubts(page.calls.toReversed())
  }
  const askSoon = () => {
    timer ??= setTimeout(() => void ask(), gatherMs)
  }
  // A call comes to be in doubt by call.changed alone; it leaves by whatever settles it.
  const stopHints = desk.subscribe(({ kind }) => {
    if (!kind.includes('.') || kind === 'call.changed' || (known > 0 && kind.startsWith('call.'))) askSoon()
  })
  const stopPolling = pollWithoutEvents(desk, { everyMs: pollMs, ask: askSoon, answered: () => told >= asked })
  askSoon()
  return () => {
    told = Infinity
    stopHints()
    clearTimeout(timer)
    stopPolling()
  }
}
