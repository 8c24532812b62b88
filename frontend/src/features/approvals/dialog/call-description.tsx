import type { Call } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { AgentText } from '../../../ui/agent-text'
import css from './approval-dialog.module.css'
import { Fact } from './fact'

/** What the agent says of the call, as a quotation. */
export function CallDescription({ call: { description } }: { call: Call }) {
  const { t } = useI18n()
  if (description === '') return null
  return (
    <dl className={css.ledger}>
      <Fact label={t('approval.description')}>
        <blockquote className={css.quote}>
          <AgentText as="prose">{description}</AgentText>
        </blockquote>
      </Fact>
    </dl>
  )
}
