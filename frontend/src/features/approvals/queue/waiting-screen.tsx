import type { ComponentType, ReactNode } from 'react'
import { useI18n } from '../../../i18n/i18n'
import { Empty } from '../../../ui/empty'
import { LateComponent } from '../../../ui/late-component'
import { Screen } from '../../../ui/screen'
import { Late } from '../late'
import type { PendingQueue } from './pending-queue'
import type { QueueState } from './queue-state'
import type { WaitingListProps } from './waiting-list'
import css from './waiting-screen.module.css'

interface Props {
  queue: PendingQueue
  state: QueueState
  /** Stands around the word that nothing waits: a new desk has more to say. */
  around: ComponentType<{ children: ReactNode }>
}

/** It comes right after the first screen. */
const list = new LateComponent<WaitingListProps>(() => import('./waiting-list').then(({ WaitingList }) => WaitingList))

/** Agents that a person stopped. */
const stopped = new LateComponent<object>(() => import('./stopped-agents').then(({ StoppedAgents }) => StoppedAgents))

/** All calls that wait, by agent, oldest first. */
export function WaitingScreen({ queue, state, around: Around }: Props) {
  const { t } = useI18n()
  const { items } = state
  return (
    <Screen title={t('waiting.title')} lead={t('waiting.lead')}>
      <Late part={stopped} props={{}} />
      {state.rev >= 0 && items.length === 0 && (
        <Around>
          <Empty title={t('waiting.emptyTitle')}>
            <p>{t('waiting.emptyText')}</p>
          </Empty>
        </Around>
      )}
      {items.length > 0 && <Late part={list} props={{ queue, state }} />}
      {state.more && <p className={css.more}>{t('queue.limit', { count: items.length })}</p>}
    </Screen>
  )
}
