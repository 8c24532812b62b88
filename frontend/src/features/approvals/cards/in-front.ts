import type { ReactNode } from 'react'
import type { Gesture } from '../answer/arming'
import type { PendingQueue } from '../queue/pending-queue'
import type { QueueState } from '../queue/queue-state'

/** What all that can be in front has in common. */
export interface InFront {
  queue: PendingQueue
  state: QueueState
  /** Nothing can be pressed for the moment. */
  resting: boolean
  notice: ReactNode
  /** What did not count, and was not closed. */
  refused: ReactNode
  expand: ReactNode
  trusts?: (event: Gesture) => boolean
}
