import { useEffect, useState, useSyncExternalStore } from 'react'
import { useDesk } from '../../../desk/desk-context'
import { PendingQueue } from './pending-queue'
import type { QueueState } from './queue-state'

/** The queue of this page's desk; one for the whole page. While quiet, nothing comes to the front by itself. */
export function usePendingQueue(quiet = false): { queue: PendingQueue; state: QueueState } {
  const desk = useDesk()
  // Not a memo, which React may drop, and with it what was put off, paused and answered.
  const [queue] = useState(() => new PendingQueue(desk))
  // Before it follows the desk: the first call must not come up if it is not to.
  useEffect(() => {
    queue.quiet(quiet)
  }, [queue, quiet])
  return { queue, state: useSyncExternalStore(queue.watch, queue.state) }
}
