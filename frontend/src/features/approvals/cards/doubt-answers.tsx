import { useState } from 'react'
import type { DeskError } from '../../../desk/desk-error'
import type { Call, Resolution } from '../../../desk/types'
import { errorText } from '../../../i18n/error-text'
import { useI18n } from '../../../i18n/i18n'
import { Alert } from '../../../ui/alert'
import { Button } from '../../../ui/button'
import { useReturnFocus } from '../../../ui/use-return-focus'
import { isAnswer, type Gesture } from '../answer/arming'
import type { PendingQueue } from '../queue/pending-queue'
import css from './card.module.css'
import { RunAgain } from './run-again'

interface Props {
  queue: PendingQueue
  call: Call
  /** Nothing can be pressed for the moment. */
  resting: boolean
  trusts?: (event: Gesture) => boolean
}

/** What becomes of a call in doubt. To run it a second time is asked twice. */
export function DoubtAnswers({ queue, call, resting, trusts }: Props) {
  const { t } = useI18n()
  const [asking, setAsking] = useState(false)
  const [sending, setSending] = useState(false)
  const [error, setError] = useState<DeskError | null>(null)
  const again = useReturnFocus<HTMLButtonElement>(asking)
  const busy = sending || resting
  const resolve = async (event: Gesture, action: Resolution) => {
    if (busy || !isAnswer(event, trusts)) return
    setSending(true)
    setError(await queue.resolve(call, action))
    setSending(false)
  }
  return (
    <>
      <Alert>{error && errorText(t, error)}</Alert>
      {asking && <RunAgain busy={busy} onRun={(event) => void resolve(event, 'retry')} onCancel={() => { setAsking(false) }} />}
      <div className={css.answers} hidden={asking}>
        <Button look="quiet" title={t('approval.laterHint')} disabled={busy} onClick={queue.later}>
          {t('approval.later')}
        </Button>
        <Button
          ref={again}
          disabled={busy}
          aria-expanded={asking}
          onClick={() => {
            setAsking(true)
          }}
        >
          {t('doubt.runAgain')}
        </Button>
        <Button look="strong" disabled={busy} title={t('doubt.closeHint')} onClick={(e) => void resolve(e.nativeEvent, 'close')}>
          {t('doubt.close')}
        </Button>
      </div>
      <p className={css.hint} hidden={asking}>
        {t('doubt.closeHint')}
      </p>
    </>
  )
}
