import type { ReactNode } from 'react'
import type { PendingQueue } from '../features/approvals/queue/pending-queue'
import type { QueueState } from '../features/approvals/queue/queue-state'
import { useI18n } from '../i18n/i18n'
import { AgentText } from '../ui/agent-text'
import { Button } from '../ui/button'
import { ErrorBoundary } from '../ui/error-boundary'
import { Notice } from '../ui/notice'
import css from './dialog-boundary.module.css'

interface Props {
  queue: PendingQueue
  state: QueueState
  children: ReactNode
}

/** The error boundary of the approval dialog: a call that cannot be drawn takes neither the page nor the dialogs of other calls with it. */
export function DialogBoundary({ queue, state, children }: Props) {
  const { front } = state
  const shown = front === null ? '' : JSON.stringify(front)
  return (
    <ErrorBoundary about={shown} fallback={(error, retry) => <DialogFailed error={error} onRetry={retry} onLater={queue.later} />}>
      {children}
    </ErrorBoundary>
  )
}

function DialogFailed({ error, onRetry, onLater }: { error: unknown; onRetry: () => void; onLater: () => void }) {
  const { t } = useI18n()
  return (
    <div className={css.failed}>
      <Notice tone="deny" role="alert">
        <p>
          <strong>{t('app.dialogFailed')}</strong> {t('app.dialogFailedText')}
        </p>
        <p>
          <AgentText as="path">{error instanceof Error ? error.message : String(error)}</AgentText>
        </p>
        <div className={css.actions}>
          <Button small onClick={onRetry}>
            {t('common.retry')}
          </Button>
          <Button small onClick={onLater}>
            {t('approval.later')}
          </Button>
        </div>
      </Notice>
    </div>
  )
}
