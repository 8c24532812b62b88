import type { PendingCall } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { Button } from '../../../ui/button'
import { useReturnFocus } from '../../../ui/use-return-focus'
import type { PendingQueue } from '../queue/pending-queue'
import css from './card.module.css'

interface Props {
  queue: PendingQueue
  agent: PendingCall
  /** Nothing can be pressed for the moment. */
  busy: boolean
  /** Whether the question before declining is open. */
  asking: boolean
  onAsk: () => void
}

/** What can be done with all calls of an agent at once. Approving them is none of it. */
export function FloodActions({ queue, agent, busy, asking, onAsk }: Props) {
  const { t } = useI18n()
  const decline = useReturnFocus<HTMLButtonElement>(asking)
  return (
    <>
      <div className={css.answers} hidden={asking}>
        <Button look="quiet" title={t('approval.laterHint')} disabled={busy} onClick={queue.later}>
          {t('approval.later')}
        </Button>
        <Button
          disabled={busy}
          title={t('queue.pauseHint')}
          onClick={() => {
            queue.pause(agent)
          }}
        >
          {t('queue.pause')}
        </Button>
        <Button ref={decline} disabled={busy} aria-expanded={asking} onClick={onAsk}>
          {t('queue.declineThem')}
        </Button>
        <Button
          look="strong"
          disabled={busy}
          onClick={() => {
            queue.oneByOne(agent.agentId)
          }}
        >
          {t('queue.oneByOne')}
        </Button>
      </div>
      <p className={css.hint} hidden={asking}>
        {t('queue.pauseHint')}
      </p>
    </>
  )
}
