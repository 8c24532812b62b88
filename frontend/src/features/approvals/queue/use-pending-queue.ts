import { useEffect, useState, useSyncExternalStore } from 'react'
import type { Desk } from '../../../desk/desk'
import { useDesk } from '../../../desk/desk-context'
import { PendingQueue } from './pending-queue'
import type { QueueState } from './queue-state'

const begun = new WeakMap<Desk, PendingQueue>()

/**
 * Begins the queue of a desk before the page is drawn, and follows the desk until leave is called; waits ends when a call waits. It is
 * quiet until the page says otherwise.
 */
export function beginQueue(desk: Desk): { waits: Promise<void>; leave: () => void } {
  const queue = new PendingQueue(desk)
  queue.quiet(true)
  begun.set(desk, queue)
  let leave: () => void = () => undefined
  const waits = new Promise<void>((resolve) => {
    leave = queue.watch(() => {
      if (queue.state().items.length > 0) resolve()
    })
  })
  return { waits, leave }
}

/** The queue that was begun, once: a page that is made anew starts over. */
function takeQueue(desk: Desk): PendingQueue {
  const queue = begun.get(desk)
  begun.delete(desk)
  return queue ?? new PendingQueue(desk)
}

/** The queue of this page's desk; one for the whole page. While quiet, nothing comes to the front by itself. */
export function usePendingQueue(quiet = false): { queue: PendingQueue; state: QueueState } {
  const desk = useDesk()
  // Not a memo, which React may drop, and with it what was put off, paused and answered.
  const [queue] = useState(() => takeQueue(desk))
  // Before it follows the desk: the first call must not come up if it is not to.
  useEffect(() => {
    queue.quiet(quiet)
  }, [queue, quiet])
  return { queue, state: useSyncExternalStore(queue.watch, queue.state) }
}
