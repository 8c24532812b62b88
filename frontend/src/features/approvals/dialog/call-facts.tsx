import type { PendingCall } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { AgentText } from '../../../ui/agent-text'
import css from './approval-dialog.module.css'
import { Fact } from './fact'

/** Who asks, from where, and what would be done. What the agent says of it stands as a quotation. */
export function CallFacts({ call }: { call: PendingCall }) {
  const { t, tx } = useI18n()
  const names = { tool: <AgentText>{call.toolName}</AgentText>, server: <AgentText>{call.serverId ?? ''}</AgentText> }
  return (
    <dl className={css.ledger}>
      <Fact label={t('approval.who')}>
        <ul className={css.origin}>
          <li>
            <AgentText>{call.agentName}</AgentText>
          </li>
          <li>{tx('approval.session', { session: <AgentText as="path">{call.sessionId}</AgentText> })}</li>
          {call.runId !== call.sessionId && <li>{tx('approval.run', { run: <AgentText as="path">{call.runId}</AgentText> })}</li>}
          <li>
            {call.cwd === null ? t('approval.noFolder') : tx('approval.folder', { folder: <AgentText as="path">{call.cwd}</AgentText> })}
          </li>
        </ul>
      </Fact>
      <Fact label={t('approval.what')}>
        {tx(call.serverId === null ? 'approval.runLocal' : 'approval.runOn', names)}
        {call.description !== '' && (
          <blockquote className={css.quote}>
            <p className={css.soft}>{t('approval.description')}</p>
            <AgentText as="prose">{call.description}</AgentText>
          </blockquote>
        )}
      </Fact>
    </dl>
  )
}
