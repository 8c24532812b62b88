import type { MouseEvent } from 'react'
import type { PendingCall } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { useLimitWords } from '../../../i18n/use-limit-words'
import { AgentText } from '../../../ui/agent-text'
import css from './approval-dialog.module.css'

/** The desk's own word for what whyNoRule says in the person's language. */
const noRuleApplies = 'no rule applies'

interface Props {
  call: PendingCall
  /** An answer is given: nobody leaves before it is sent. */
  frozen: boolean
  onLeave: () => void
}

/** Which rule asked, or that none decides, and what the desk says of it. */
export function WhyAsked({ call, frozen, onLeave }: Props) {
  const { t, tx } = useI18n()
  const { rule, reason, changed, withheld, spent } = call.why
  const limits = useLimitWords((id) => <RuleLink id={id} frozen={frozen} onLeave={onLeave} />)
  const withholding = changed === 'unknown' ? 'approval.whyUnknown' : 'approval.whyChanged'
  return (
    <>
      {rule
        ? tx('approval.whyRule', { rule: <RuleLink id={rule.id} frozen={frozen} onLeave={onLeave} />, priority: rule.priority })
        : spent?.code !== 'brake' && t(withheld ? withholding : 'approval.whyNoRule')}
      {reason !== '' && reason !== noRuleApplies && (
        <span className={css.deskSays}>{spent ? limits.reached(spent) : <AgentText as="prose">{reason}</AgentText>}</span>
      )}
    </>
  )
}

/** To the rule where it stands. The call goes on waiting: this is no answer. */
function RuleLink({ id, frozen, onLeave }: Omit<Props, 'call'> & { id: string }) {
  const onClick = (event: MouseEvent) => {
    if (frozen) event.preventDefault()
    else onLeave()
  }
  return (
    <a className={css.link} href={`#/rules?rule=${encodeURIComponent(id)}`} aria-disabled={frozen} onClick={onClick}>
      <AgentText>{id}</AgentText>
    </a>
  )
}
