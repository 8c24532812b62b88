import css from '../dialog/approval-dialog.module.css'
import { ReachChoice } from './reach-choice'
import { ReasonField } from './reason-field'
import type { Approval } from './use-approval'

interface Props {
  approval: Approval
  /** How many other waiting calls ask for the same. */
  identical: number
}

/** What goes with an answer: how far an approval reaches, and the reason of a decline. */
export function AnswerForm({ approval, identical }: Props) {
  return (
    <dl className={css.answer}>
      <ReachChoice approval={approval} identical={identical} />
      <ReasonField approval={approval} />
    </dl>
  )
}
