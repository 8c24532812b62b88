import type { ReactNode } from 'react'
import type { PendingCall } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { AgentText } from '../../../ui/agent-text'
import { AskerText } from '../../../ui/asker-text'
import { Seal } from '../../../ui/seal'
import css from './approval-dialog.module.css'

interface Props {
  call: PendingCall
  id: string
  position: number
  total: number
  drawer: ReactNode
}

/** The sentences for what is no tool call. */
const readings: Partial<Record<string, 'approval.title.read' | 'approval.title.subscribe' | 'approval.title.prompt'>> = {
  'resources/read': 'approval.title.read',
  'resources/subscribe': 'approval.title.subscribe',
  'prompts/get': 'approval.title.prompt',
}

/** The sentence that names the dialog, in our voice, with the agent's words quoted. It takes the first focus. */
export function ApprovalHead({ call, id, position, total, drawer }: Props) {
  const { t, tx } = useI18n()
  const names = {
    agent: <em className={css.agent}><AskerText of={call} /></em>,
    tool: <strong><AgentText>{call.toolName}</AgentText></strong>,
    server: <strong><AgentText>{call.serverId ?? ''}</AgentText></strong>,
  }
  return (
    <header className={css.head}>
      <Seal />
      <h2 className={css.title} id={`${id}-title`} tabIndex={-1} data-first-focus>
        {tx(readings[call.method] ?? (call.serverId === null ? 'approval.titleLocal' : 'approval.title'), names)}
      </h2>
      {total > 1 && <p className={css.position}>{t('approval.position', { position, total })}</p>}
      {drawer}
    </header>
  )
}
