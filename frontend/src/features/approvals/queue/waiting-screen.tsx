import type { ComponentType, ReactNode } from 'react'
import type { PendingCall } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { When } from '../../../i18n/when'
import { AgentText } from '../../../ui/agent-text'
import { AskerText } from '../../../ui/asker-text'
import { Button } from '../../../ui/button'
import { Empty } from '../../../ui/empty'
import { Screen } from '../../../ui/screen'
import { clockText, useTimeLeft } from '../../../ui/use-time-left'
import { RiskBadge } from '../dialog/risk-badge'
import type { PendingQueue } from './pending-queue'
import type { QueueState } from './queue-state'
import { StoppedAgents } from './stopped-agents'
import css from './waiting-screen.module.css'

interface Props {
  queue: PendingQueue
  state: QueueState
  /** Stands around the word that nothing waits: a new desk has more to say. */
  around: ComponentType<{ children: ReactNode }>
}

/** All calls that wait, oldest first. */
export function WaitingScreen({ queue, state, around: Around }: Props) {
  const { t } = useI18n()
  return (
    <Screen title={t('waiting.title')} lead={t('waiting.lead')}>
      <StoppedAgents />
      {state.rev >= 0 && state.items.length === 0 && (
        <Around>
          <Empty title={t('waiting.emptyTitle')}>
            <p>{t('waiting.emptyText')}</p>
          </Empty>
        </Around>
      )}
      <ol className={css.list}>
        {state.items.map((call) => (
          <WaitingRow key={call.id} call={call} clockOffset={state.clockOffset} onReview={queue.review} />
        ))}
      </ol>
      {state.more && <p className={css.more}>{t('queue.limit', { count: state.items.length })}</p>}
    </Screen>
  )
}

function WaitingRow({ call, clockOffset, onReview }: { call: PendingCall; clockOffset: number; onReview: (id: string) => void }) {
  const { t, tx } = useI18n()
  const left = useTimeLeft(call.expiresAt, clockOffset)
  const names = { agent: <AskerText of={call} />, server: <AgentText>{call.serverId ?? ''}</AgentText> }
  return (
    <li className={css.row}>
      <div className={css.what}>
        <p className={css.tool}>
          <AgentText>{call.toolName}</AgentText>
          <RiskBadge risk={call.risk} reasons={call.riskReasons} />
        </p>
        <p className={css.who}>
          {tx(call.serverId === null ? 'waiting.fromItself' : 'waiting.from', names)} ·{' '}
          {tx('waiting.since', { time: <When at={call.createdAt} /> })}
          {left !== null && ` · ${t('waiting.left', { time: clockText(left) })}`}
        </p>
      </div>
      <Button
        aria-label={t('waiting.reviewOne', { tool: call.toolName })}
        onClick={() => {
          onReview(call.id)
        }}
      >
        {t('waiting.review')}
      </Button>
    </li>
  )
}
