import type { PendingCall } from '../../desk/types'
import { useI18n } from '../../i18n/i18n'
import { AgentText } from '../../ui/agent-text'
import css from './approval-dialog.module.css'
import { Fact } from './fact'

/** What would be called, and where. */
export function CallFacts({ call }: { call: PendingCall }) {
  const { t } = useI18n()
  return (
    <dl className={css.facts}>
      <Fact label={t('approval.tool')}>
        <AgentText>{call.toolName}</AgentText>
      </Fact>
      <Fact label={t('approval.server')}>{call.serverId === null ? t('approval.noServer') : <AgentText>{call.serverId}</AgentText>}</Fact>
      <Fact label={t('approval.folder')}>{call.cwd === null ? t('approval.noFolder') : <AgentText as="path">{call.cwd}</AgentText>}</Fact>
    </dl>
  )
}
