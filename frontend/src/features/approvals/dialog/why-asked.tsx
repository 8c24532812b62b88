import type { MouseEvent } from 'react'
import type { PendingCall } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { useCodeWords } from '../../../i18n/use-code-words'
import { AgentText } from '../../../ui/agent-text'
import css from './approval-dialog.module.css'

/** What whyRule and whyNoRule say already. */
const saidAbove: readonly (string | null)[] = ['rule_asks', 'rule_allows', 'no_rule']

/** Whether the desk says something of its own, such as a limit that is reached: more than which rule asked. */
export function saysMore({ code, reason }: PendingCall['why']): boolean {
  return reason !== '' && !saidAbove.includes(code)
}

interface Props {
  call: PendingCall
  /** An answer is given: nobody leaves before it is sent. */
  frozen: boolean
  onLeave: () => void
}

/** Which rule asked, or that none decides, and what the desk says of it. */
export function WhyAsked({ call, frozen, onLeave }: Props) {
  const { t, tx } = useI18n()
  const words = useCodeWords('why')
  const { rule, code, params, reason, changed, withheld } = call.why
  const withholding = changed === 'unknown' ? 'approval.whyUnknown' : 'approval.whyChanged'
  return (
    <>
      {rule
        ? tx('approval.whyRule', { rule: <RuleLink id={rule.id} frozen={frozen} onLeave={onLeave} />, priority: rule.priority })
        : t(withheld ? withholding : 'approval.whyNoRule')}
      {saysMore(call.why) && (
        <span className={css.deskSays}>{words.shown({ code, params, text: reason }, (text) => <AgentText as="prose">{text}</AgentText>)}</span>
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
