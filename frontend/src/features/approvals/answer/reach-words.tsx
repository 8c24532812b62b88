import type { PendingCall } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { AgentText } from '../../../ui/agent-text'
import type { Reach } from './reach'
import css from './reach-choice.module.css'

/** What an approval of wider reach covers, in one sentence; nothing for one call. */
export function ReachWords({ call, reach }: { call: PendingCall; reach: Reach }) {
  const { t, tx } = useI18n()
  if (reach.scope === 'once') return null
  const names = {
    command: <AgentText>{call.class?.command ?? ''}</AgentText>,
    tool: <AgentText>{call.class?.toolName ?? call.toolName}</AgentText>,
    server: <AgentText>{call.class?.serverId ?? ''}</AgentText>,
    agent: <AgentText>{call.agentName}</AgentText>,
  }
  const local = call.class?.serverId === null
  const kind =
    call.class?.command == null
      ? local
        ? 'approval.kindLocal'
        : 'approval.kind'
      : local
        ? 'approval.kindCommandLocal'
        : 'approval.kindCommand'
  return (
    <p className={css.words}>
      {tx(reach.scope === 'class' ? kind : 'approval.everything', names)} {t('approval.notRiskier')}
    </p>
  )
}
