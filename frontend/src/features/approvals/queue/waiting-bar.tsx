import { useI18n } from '../../../i18n/i18n'
import { AgentText } from '../../../ui/agent-text'
import { Button } from '../../../ui/button'
import { Icon } from '../../../ui/icon'
import { Seal } from '../../../ui/seal'
import type { PendingQueue } from './pending-queue'
import type { QueueState } from './queue-state'
import { QuietLine, type QuietSwitch } from './quiet-line'
import css from './waiting-bar.module.css'

interface Props {
  queue: PendingQueue
  state: QueueState
  /** The switch of do-not-disturb. */
  quiet: QuietSwitch
}

/** While nothing is in front: what waits all the same, and the way to it. */
export function WaitingBar({ queue, state, quiet }: Props) {
  const { t } = useI18n()
  const { items, doubts, paused, front, restUntil } = state
  const waiting = items.filter((call) => !paused.has(call.agentId))
  const [doubt] = doubts
  if (front !== null || restUntil !== null || (waiting.length === 0 && paused.size === 0 && !doubt)) return null
  return (
    <div className={css.bars} role="region" aria-label={t('queue.list')}>
      {waiting.length > 0 && (
        <QuietLine count={waiting.length} more={state.more} quiet={state.quiet ? quiet : null} onReview={queue.review} />
      )}
      {[...paused].map(([agentId, agentName]) => (
        <PausedLine
          key={agentId}
          agentName={agentName}
          count={items.filter((call) => call.agentId === agentId).length}
          more={state.more}
          onResume={() => {
            queue.resume(agentId)
          }}
        />
      ))}
      {doubt && (
        <div className={css.bar}>
          <Icon name="warning" />
          <p className={css.text}>{t('doubt.bar', { count: doubts.length })}</p>
          <Button
            small
            onClick={() => {
              queue.review(doubt.id)
            }}
          >
            {t('doubt.review')}
          </Button>
        </div>
      )}
    </div>
  )
}

function PausedLine({ agentName, count, more, onResume }: { agentName: string; count: number; more: boolean; onResume: () => void }) {
  const { t, tx } = useI18n()
  return (
    <div className={css.bar}>
      <Seal />
      <p className={css.text}>{tx(more ? 'queue.pausedMore' : 'queue.paused', { agent: <AgentText>{agentName}</AgentText>, count })}</p>
      <Button small aria-label={t('queue.resumeOne', { agent: agentName })} onClick={onResume}>
        {t('queue.resume')}
      </Button>
    </div>
  )
}
