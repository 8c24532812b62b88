import type { ReactNode } from 'react'
import { AnswerButtons } from '../answer/answer-buttons'
import { EverythingWords } from '../answer/everything-words'
import { FailureNotice } from '../answer/failure-notice'
import { HowNow } from '../answer/how-now'
import { UndoBar } from '../answer/undo-bar'
import { UnreadCheck } from '../answer/unread-check'
import type { Approval } from '../answer/use-approval'
import css from './approval-foot.module.css'
import { Deadline } from './deadline'

interface Props {
  approval: Approval
  notice: ReactNode
  /** An answer before this one that did not count. */
  refused: ReactNode
  onLater: () => void
}

/** The foot of the dialog: for how long the call waits still, and what can be pressed now. */
export function ApprovalFoot({ approval, notice, refused, onLater }: Props) {
  const { undoUntil, step, view } = approval
  if (undoUntil !== null) return <UndoBar until={undoUntil} onUndo={approval.undo} />
  return (
    <footer className={css.foot} data-step={step}>
      {step !== 'always' && <FailureNotice failure={approval.failure} />}
      {step === 'everything' && <EverythingWords approval={approval} />}
      <UnreadCheck approval={approval} />
      <div className={css.row}>
        <div className={css.state}>
          <Deadline left={view.left} patience={view.patience} onExtend={approval.extend} />
          {notice}
          <HowNow approval={approval} keys={!refused && !notice} />
          {refused}
        </div>
        <AnswerButtons approval={approval} onLater={onLater} />
      </div>
    </footer>
  )
}
