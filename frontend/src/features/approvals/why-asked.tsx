import type { PendingCall } from '../../desk/types'
import { useI18n } from '../../i18n/i18n'
import { AgentText } from '../../ui/agent-text'
import css from './approval-dialog.module.css'

/** The desk's own word for what whyNoRule says in the person's language. */
const noRuleApplies = 'no rule applies'

/** Which rule asked, or that none decides, and what the desk says of it. */
export function WhyAsked({ call }: { call: PendingCall }) {
  const { t, tx } = useI18n()
  const { rule, reason } = call.why
  return (
    <>
      {rule ? tx('approval.whyRule', { rule: <AgentText>{rule.id}</AgentText>, priority: rule.priority }) : t('approval.whyNoRule')}
      {reason !== '' && reason !== noRuleApplies && (
        <span className={css.deskSays}>
          <AgentText as="prose">{reason}</AgentText>
        </span>
      )}
    </>
  )
}
