import type { PendingQueue } from '../features/approvals/pending-queue'
import type { QueueState } from '../features/approvals/queue-state'
import { WaitingBar } from '../features/approvals/waiting-bar'
import { useI18n } from '../i18n/i18n'
import { Notice } from '../ui/notice'
import { HoldBar } from './hold-bar'
import type { Switch } from './use-switches'

interface Props {
  queue: PendingQueue
  state: QueueState
  hold: Switch
  quiet: Switch
}

/** Above every screen and in the small window: that the desk does not answer, that everything is held, what was put off. */
export function StatusBars({ queue, state, hold, quiet }: Props) {
  const { t } = useI18n()
  return (
    <>
      {state.unreachable && (
        <Notice tone="deny" role="alert">
          {t('app.unreachable')}
        </Notice>
      )}
      <HoldBar hold={hold} quiet={quiet} />
      <WaitingBar queue={queue} state={state} quiet={quiet} />
    </>
  )
}
