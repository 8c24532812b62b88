import { useMemo } from 'react'
import type { PendingCall } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { AgentLabel } from '../../../ui/agent-label'
import { byAgent, idOf } from '../../../ui/object-list/by-agent'
import { ObjectList } from '../../../ui/object-list/object-list'
import { RowHeading } from '../../../ui/object-list/row-heading'
import type { PendingQueue } from './pending-queue'
import type { QueueState } from './queue-state'
import { WaitingRow } from './waiting-row'

export interface WaitingListProps {
  queue: PendingQueue
  state: QueueState
}

/** About the height of a row, in pixels. */
const rowHeight = 76

/** All calls that wait, by agent. */
export function WaitingList({ queue, state: { items, clockOffset } }: WaitingListProps) {
  const { t } = useI18n()
  const groups = useMemo(() => byAgent(items), [items])
  return (
    <ObjectList
      label={t('queue.list')}
      groups={groups}
      keyOf={idOf<PendingCall>}
      estimate={rowHeight}
      flat
      onOpen={(call) => {
        queue.review(call.id)
      }}
      heading={(group, row) => (
        <RowHeading
          state={row}
          name={<AgentLabel name={group.agentName} end={group.end} />}
          about={t('queue.count', { count: group.items.length })}
        />
      )}
    >
      {(call, row) => <WaitingRow call={call} state={row} clockOffset={clockOffset} onReview={queue.review} />}
    </ObjectList>
  )
}
