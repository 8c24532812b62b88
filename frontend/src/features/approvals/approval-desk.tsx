import { ApprovalDialog } from './approval-dialog'
import type { Gesture } from './arming'
import { PassingNotice } from './passing-notice'
import type { PendingQueue } from './pending-queue'
import type { QueueState } from './queue-state'

interface Props {
  queue: PendingQueue
  state: QueueState
  trusts?: (event: Gesture) => boolean
}

/** The dialog of the call that is shown, and the word about the one before. */
export function ApprovalDesk({ queue, state, trusts }: Props) {
  const position = state.items.findIndex((call) => call.id === state.shownId)
  const call = state.items[position]
  const notice = <PassingNotice notice={state.notice} inside={call !== undefined} onDone={queue.dismissNotice} />
  return (
    <>
      {call && (
        <ApprovalDialog
          key={`${call.id} ${call.inputHash}`}
          call={call}
          position={position + 1}
          total={state.items.length}
          notice={state.notice && notice}
          onAnswer={(verdict) => queue.answer(call, verdict)}
          onLater={queue.later}
          {...(trusts ? { trusts } : {})}
        />
      )}
      {!call && notice}
    </>
  )
}
