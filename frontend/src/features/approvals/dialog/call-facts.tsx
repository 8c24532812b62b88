import type { PendingCall } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { AgentText } from '../../../ui/agent-text'
import { AskerText } from '../../../ui/asker-text'
import css from './approval-dialog.module.css'
import { Fact } from './fact'

/** Who asks, and from where. What the agent says of the call stands as a quotation. */
export function CallFacts({ call }: { call: PendingCall }) {
  const { t, tx } = useI18n()
  return (
    <dl className={css.ledger}>
      <Fact label={t('approval.who')}>
        <ul className={css.origin}>
          <li>
            <AskerText of={call} />
          </li>
          <li>{tx('approval.session', { session: <AgentText as="path">{call.sessionId}</AgentText> })}</li>
          {call.runId !== call.sessionId && <li>{tx('approval.run', { run: <AgentText as="path">{call.runId}</AgentText> })}</li>}
          <li>
            {call.cwd === null ? t('approval.noFolder') : tx('approval.folder', { folder: <AgentText as="path">{call.cwd}</AgentText> })}
          </li>
        </ul>
      </Fact>
      {call.description !== '' && (
        <Fact label={t('approval.description')}>
          <blockquote className={css.quote}>
            <AgentText as="prose">{call.description}</AgentText>
          </blockquote>
        </Fact>
      )}
    </dl>
  )
}
