import { useState } from 'react'
import { useLive } from '../desk/live'
import type { PendingQueue } from '../features/approvals/queue/pending-queue'
import type { QueueState } from '../features/approvals/queue/queue-state'
import { WaitingBar } from '../features/approvals/queue/waiting-bar'
import { part as differences } from '../features/differences/part'
import { useI18n } from '../i18n/i18n'
import { Button } from '../ui/button'
import { Notice } from '../ui/notice'
import { HoldBar } from './hold-bar'
import { PartBoundary } from './part-boundary'
import css from './shell.module.css'
import type { Switch } from './use-switches'

interface Props {
  queue: PendingQueue
  state: QueueState
  hold: Switch
  quiet: Switch
}

/** Above every screen and in the small window: what is wrong with the desk, that everything is held, what was put off. */
export function StatusBars({ queue, state, hold, quiet }: Props) {
  const { t } = useI18n()
  const trouble = useLive('trouble')
  const renewed = useLive('renewed')
  const [closed, setClosed] = useState(false)
  const said = trouble.error === null ? (trouble.data ?? '') : ''
  return (
    <>
      {said !== '' && (
        <Notice tone="deny" role="alert">
          <strong>{t('app.trouble')}</strong> {t('error.other', { message: said })}
        </Notice>
      )}
      {said !== '' && (
        <PartBoundary part={differences} props={{}} failed={(error, retry) => <DifferencesFailed error={error} onRetry={retry} />} />
      )}
      {state.unreachable && said === '' && (
        <Notice tone="deny" role="alert">
          {t('app.unreachable')}
        </Notice>
      )}
      {renewed.data === true && !closed && (
        <Notice tone="care" role="status">
          {t('app.renewed')}{' '}
          <Button
            small
            onClick={() => {
              setClosed(true)
            }}
          >
            {t('common.close')}
          </Button>
        </Notice>
      )}
      <div className={css.bars}>
        <HoldBar hold={hold} quiet={quiet} />
        <WaitingBar queue={queue} state={state} quiet={quiet} />
      </div>
    </>
  )
}

function DifferencesFailed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { t } = useI18n()
  return (
    <Notice tone="deny" role="alert">
      {error instanceof Error ? error.message : String(error)}{' '}
      <Button small onClick={onRetry}>
        {t('common.retry')}
      </Button>
    </Notice>
  )
}
