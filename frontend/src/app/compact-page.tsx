import type { PendingQueue } from '../features/approvals/queue/pending-queue'
import type { QueueState } from '../features/approvals/queue/queue-state'
import { useI18n } from '../i18n/i18n'
import { Button } from '../ui/button'
import { Empty } from '../ui/empty'
import css from './shell.module.css'
import { StatusBars } from './status-bars'
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
      <StatusBars queue={queue} state={state} hold={hold} quiet={quiet} />
      {state.items.length === 0 && <Empty title={t('waiting.emptyTitle')} />}
      <Button className={css.expand} onClick={onExpand}>
        {t('compact.open')}
      </Button>
    </main>
  )
}
