import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { useDesk } from '../../desk/desk-context'
import { PendingQueue } from './pending-queue'
import type { QueueState } from './queue-state'

/** The queue of this page's desk; one for the whole page. */
export function usePendingQueue(): { queue: PendingQueue; state: QueueState } {
  const desk = useDesk()
  const queue = useMemo(() => new PendingQueue(desk), [desk])
  useEffect(() => queue.follow(), [queue])
  return { queue, state: useSyncExternalStore(queue.subscribe, queue.state) }
}
