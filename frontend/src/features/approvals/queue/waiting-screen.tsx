import { useMemo, type ComponentType, type ReactNode } from 'react'
import { useI18n } from '../../../i18n/i18n'
import { AgentLabel } from '../../../ui/agent-label'
import { Empty } from '../../../ui/empty'
import { ObjectList } from '../../../ui/object-list/object-list'
import { RowHeading } from '../../../ui/object-list/row-heading'
import { Screen } from '../../../ui/screen'
import { byAgent, callKey } from './by-agent'
import type { PendingQueue } from './pending-queue'
import type { QueueState } from './queue-state'
import { WaitingRow } from './waiting-row'
import css from './waiting-screen.module.css'

interface Props {
  queue: PendingQueue
  state: QueueState
  /** Stands around the word that nothing waits: a new desk has more to say. */
  around: ComponentType<{ children: ReactNode }>
}

/** About the height of a row, in pixels. */
const rowHeight = 76

/** All calls that wait, by agent, oldest first. */
export function WaitingScreen({ queue, state, around: Around }: Props) {
  const { t } = useI18n()
  const { items, clockOffset } = state
  const groups = useMemo(() => byAgent(items, (call) => call.agentId), [items])
  return (
    <Screen title={t('waiting.title')} lead={t('waiting.lead')}>
      {state.rev >= 0 && items.length === 0 && (
        <Around>
          <Empty title={t('waiting.emptyTitle')}>
            <p>{t('waiting.emptyText')}</p>
          </Empty>
        </Around>
      )}
      <ObjectList
        label={t('queue.list')}
        groups={groups}
        keyOf={callKey}
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
      {state.more && <p className={css.more}>{t('queue.limit', { count: items.length })}</p>}
    </Screen>
  )
}
