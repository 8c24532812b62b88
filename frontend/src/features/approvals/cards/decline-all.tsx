import { useState } from 'react'
import { useI18n } from '../../../i18n/i18n'
import { Button } from '../../../ui/button'
import { Field } from '../../../ui/field'
import { isAnswer, type Gesture } from '../answer/arming'
import { isEscape } from '../answer/keys'
import type { Tally } from '../queue/decide-each'
import css from './card.module.css'

interface Props {
  count: number
  /** More wait than are counted. */
  more: boolean
  onDecline: (reason: string) => Promise<Tally>
  /** Told when it was thought better of, and when none of the calls waits any more. */
  onClose: () => void
  trusts?: (event: Gesture) => boolean
}

/** As a ref: what comes is in view as a whole. Stable, so that it is so once. */
function intoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' })
}

/** Asks once before many calls are declined, inside of the dialog that it is part of. */
export function DeclineAll({ count, more, onDecline, onClose, trusts }: Props) {
  const { t } = useI18n()
  const [reason, setReason] = useState('')
  const [busy, setBusy] = useState(false)
  const decline = async (event: Gesture) => {
    if (busy || !isAnswer(event, trusts)) return
    setBusy(true)
    const { failed } = await onDecline(reason.trim())
    setBusy(false)
    if (failed === 0) onClose() // else the reason is there for another try
  }
  const leave = () => {
    if (!busy) onClose()
  }
  const question = t(more ? 'queue.askDeclineMore' : 'queue.askDecline', { count })
  return (
    <div className={css.ask} ref={intoView} role="group" aria-label={question} onKeyDown={(e) => { if (isEscape(e)) leave() }}>
      <p>
        <strong>{question}</strong> {t('queue.askDeclineText')}
      </p>
      <Field
        lines={1}
        label={t('approval.reason')}
        placeholder={t('approval.reasonHint')}
        value={reason}
        readOnly={busy}
        autoFocus
        onChange={(e: { currentTarget: { value: string } }) => {
          setReason(e.currentTarget.value)
        }}
      />
      <div className={css.actions}>
        <Button look="danger" aria-disabled={busy} onClick={(e) => void decline(e.nativeEvent)}>
          {t(more ? 'queue.declineMore' : 'queue.declineAll', { count })}
        </Button>
        <Button aria-disabled={busy} onClick={leave}>
          {t('common.cancel')}
        </Button>
      </div>
    </div>
  )
}
