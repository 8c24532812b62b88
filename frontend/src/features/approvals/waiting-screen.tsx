import type { PendingCall } from '../../desk/types'
import { useI18n } from '../../i18n/i18n'
import { When } from '../../i18n/when'
import { AgentText } from '../../ui/agent-text'
import { Button } from '../../ui/button'
import { Empty } from '../../ui/empty'
import { Screen } from '../../ui/screen'
import type { QueueState } from './queue-state'
import { RiskBadge } from './risk-badge'
import css from './waiting-screen.module.css'

interface Props {
  state: QueueState
  onReview: (id: string) => void
}

/** All calls that wait, oldest first. */
export function WaitingScreen({ state, onReview }: Props) {
  const { t } = useI18n()
  return (
    <Screen title={t('waiting.title')} lead={t('waiting.lead')}>
      {state.rev >= 0 && state.items.length === 0 && (
        <Empty title={t('waiting.emptyTitle')}>
          <p>{t('waiting.emptyText')}</p>
        </Empty>
      )}
      <ol className={css.list}>
        {state.items.map((call) => (
          <WaitingRow key={call.id} call={call} onReview={onReview} />
        ))}
      </ol>
    </Screen>
  )
}

function WaitingRow({ call, onReview }: { call: PendingCall; onReview: (id: string) => void }) {
  const { t, tx } = useI18n()
  const names = { agent: <AgentText>{call.agentName}</AgentText>, server: <AgentText>{call.serverId ?? ''}</AgentText> }
  return (
    <li className={css.row}>
      <div className={css.what}>
        <p className={css.tool}>
          <AgentText>{call.toolName}</AgentText>
          <RiskBadge risk={call.risk} reasons={call.riskReasons} />
        </p>
        <p className={css.who}>
          {tx(call.serverId === null ? 'waiting.fromItself' : 'waiting.from', names)} · {tx('waiting.since', { time: <When at={call.createdAt} /> })}
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
