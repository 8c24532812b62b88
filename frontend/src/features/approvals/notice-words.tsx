import type { Call } from '../../desk/types'
import { errorText, wordFor } from '../../i18n/error-text'
import { useI18n } from '../../i18n/i18n'
import { AgentText } from '../../ui/agent-text'
import type { Notice, Refusal } from './queue-state'
import { TallyWords } from './tally-words'

const keys = {
  approved: 'approval.didApprove',
  declined: 'approval.didDecline',
  expired: 'approval.expired',
  retried: 'doubt.retried',
  closed: 'doubt.closed',
} as const

/** What happened, in one line. */
export function NoticeWords({ notice }: { notice: Notice | Refusal }) {
  const { t } = useI18n()
  return (
    <>
      <Happened notice={notice} />
      {'ruleSaved' in notice && notice.ruleSaved && ` ${t('queue.ruleSaved')}`}
    </>
  )
}

function Happened({ notice }: { notice: Notice | Refusal }) {
  const { t, tx } = useI18n()
  switch (notice.kind) {
    case 'refused':
      return (
        <>
          <AgentText>{notice.call.toolName}</AgentText> {errorText(t, notice.error)}
        </>
      )
    case 'alike':
      return (
        <>
          <AgentText>{notice.call.toolName}</AgentText> · <TallyWords tally={notice.tally} approved={notice.approved} />
        </>
      )
    case 'declinedAll':
      return <TallyWords tally={notice.tally} approved={false} />
    case 'flowedOff':
      return tx('queue.flowedOff', { agent: <AgentText>{notice.agentName}</AgentText> })
    case 'elsewhere':
      return <Elsewhere call={notice.call} />
    default:
      return tx(keys[notice.kind], { tool: <AgentText>{notice.call.toolName}</AgentText> })
  }
}

/** Somebody else settled it; how, once that is known. */
function Elsewhere({ call }: { call: Call }) {
  const { t, tx } = useI18n()
  const known = call.status !== 'pending' && call.status !== 'in_doubt'
  return (
    <>
      {tx('approval.elsewhere', { tool: <AgentText>{call.toolName}</AgentText> })}
      {known && ` ${t('queue.nowIs', { status: wordFor(t, 'status', call.status) })}`}
    </>
  )
}
