import type { PendingQueue } from '../features/approvals/pending-queue'
import type { QueueState } from '../features/approvals/queue-state'
import { WaitingBar } from '../features/approvals/waiting-bar'
import { useI18n } from '../i18n/i18n'
import { Button } from '../ui/button'
import { Empty } from '../ui/empty'
import { Notice } from '../ui/notice'
import { HoldBar } from './hold-bar'
import css from './shell.module.css'
import type { Switch } from './use-switches'

interface Props {
  queue: PendingQueue
  state: QueueState
  hold: Switch
  quiet: Switch
  onExpand: () => void
}

/** The small window while no call is in front. */
export function CompactPage({ queue, state, hold, quiet, onExpand }: Props) {
  const { t } = useI18n()
  return (
    <main className={css.compact}>
      {state.unreachable && (
        <Notice tone="deny" role="alert">
          {t('app.unreachable')}
        </Notice>
      )}
      <HoldBar hold={hold} quiet={quiet} />
      <WaitingBar queue={queue} state={state} quiet={quiet} />
      {state.items.length === 0 && <Empty title={t('waiting.emptyTitle')} />}
      <Button className={css.expand} onClick={onExpand}>
        {t('compact.open')}
      </Button>
    </main>
  )
}
