import { useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import type { DeskError } from '../../desk/desk-error'
import type { PendingCall } from '../../desk/types'
import { Modal } from '../../ui/modal'
import { AnswerBar } from './answer-bar'
import css from './approval-dialog.module.css'
import { ApprovalHead } from './approval-head'
import { isAnswer, type Gesture } from './arming'
import { CallBackground } from './call-background'
import { CallFacts } from './call-facts'
import { CallInputView } from './call-input-view'
import { CallWarnings } from './call-warnings'
import { useArming } from './use-arming'
import { useCallInput } from './use-call-input'
import { useSeen } from './use-seen'
import { useTimeLeft } from './use-time-left'

export interface Verdict {
  approved: boolean
  reason: string
}

interface Props {
  call: PendingCall
  position: number
  total: number
  /** What happened to the call before, in one line. */
  notice?: ReactNode
  /** Sends the verdict; gives an error when the call still waits. */
  onAnswer: (verdict: Verdict) => Promise<DeskError | null>
  onLater: () => void
  /** Whether an event is a person's own; tests replace it, because theirs are not. */
  trusts?: (event: Gesture) => boolean
}

/**
 * One held call, and the person's answer to it. Render it under a key of the
 * call's id and input hash, so that nothing of one call lingers beside another.
 */
export function ApprovalDialog({ call, position, total, notice, onAnswer, onLater, trusts }: Props) {
  const id = useId()
  const input = useCallInput(call.id)
  const left = useTimeLeft(call.expiresAt)
  const start = useRef<HTMLDivElement>(null)
  const shown = input.state === 'shown'
  const seen = useSeen(start, shown)
  const arming = useArming(shown && seen ? String(call.rev) : null)
  const [reason, setReason] = useState('')
  const [error, setError] = useState<DeskError | null>(null)
  const [busy, setBusy] = useState(false)
  const sending = useRef(false)

  const answer = async (approved: boolean) => {
    if (sending.current || (approved && (!shown || !seen || left === 0 || !arming.armedNow()))) return
    sending.current = true
    setBusy(true)
    setError(null)
    const failed = await onAnswer({ approved, reason: approved ? '' : reason.trim() })
    sending.current = false
    setBusy(false)
    setError(failed)
  }
  const onPress = (event: Gesture, approved: boolean) => {
    if (isAnswer(event, trusts)) void answer(approved)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    const native = event.nativeEvent
    const writing = event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLInputElement
    // A button would take each repeat of a held key for a press of its own.
    if (event.repeat || native.isComposing) {
      if (!writing) event.preventDefault()
      return
    }
    // Whoever writes why not is not saying yes.
    if ((event.ctrlKey || event.metaKey) && !writing) {
      event.preventDefault()
      onPress(native, true)
    }
  }
  return (
    <Modal
      role="alertdialog"
      className={css.dialog ?? ''}
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-warnings ${id}-why`}
      aria-busy={busy}
      onKeyDown={onKeyDown}
      onDismiss={() => {
        if (!sending.current) onLater()
      }}
    >
      <div className={css.frame}>
        <ApprovalHead call={call} id={id} position={position} total={total} />
        <div className={css.body}>
          <CallWarnings call={call} id={`${id}-warnings`} />
          <CallFacts call={call} />
          <CallInputView input={input} start={start} />
          <CallBackground call={call} whyId={`${id}-why`} />
        </div>
        <AnswerBar
          arming={arming}
          canApprove={shown && seen && left !== 0}
          unseen={shown && !seen}
          busy={busy}
          error={error}
          left={left}
          notice={notice}
          reason={reason}
          onReason={setReason}
          onPress={onPress}
          onLater={onLater}
        />
      </div>
    </Modal>
  )
}
