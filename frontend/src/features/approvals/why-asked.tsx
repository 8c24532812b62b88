import type { PendingCall } from '../../desk/types'
import { useI18n } from '../../i18n/i18n'
import { AgentText } from '../../ui/agent-text'
import css from './approval-dialog.module.css'

/** The desk's own word for what whyNoRule says in the person's language. */
const noRuleApplies = 'no rule applies'

/** Which rule asked, or that none decides, and what the desk says of it. */
export function WhyAsked({ call, onLeave }: { call: PendingCall; onLeave: () => void }) {
  const { t, tx } = useI18n()
  const { rule, reason } = call.why
  return (
    <>
      {rule ? tx('approval.whyRule', { rule: <RuleLink id={rule.id} onLeave={onLeave} />, priority: rule.priority }) : t('approval.whyNoRule')}
      {reason !== '' && reason !== noRuleApplies && (
        <span className={css.deskSays}>
          <AgentText as="prose">{reason}</AgentText>
        </span>
      )}
    </>
  )
}

/** To the rule where it stands. The call goes on waiting: this is no answer. */
function RuleLink({ id, onLeave }: { id: string; onLeave: () => void }) {
  return (
    <a className={css.link} href={`#/rules?rule=${encodeURIComponent(id)}`} onClick={onLeave}>
      <AgentText>{id}</AgentText>
    </a>
  )
}
