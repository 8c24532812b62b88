import type { Call } from '../../../desk/types'
import { errorText, wordFor } from '../../../i18n/error-text'
import { useI18n } from '../../../i18n/i18n'
import { AgentText } from '../../../ui/agent-text'
import type { Notice, Refusal } from './queue-state'
import { TallyWords } from './tally-words'

const keys = {
  approved: 'approval.didApprove',
  declined: 'approval.didDecline',
  expired: 'approval.expired',
  retried: 'doubt.retried',
  closed: 'doubt.closed',
} as const

interface Props {
  notice: Notice | Refusal
  /** In a line that is cut at its end: the news goes first. */
  cut?: boolean
}

/** What happened, in one line. */
export function NoticeWords({ notice, cut = false }: Props) {
  const { t } = useI18n()
  return (
    <>
      <Happened notice={notice} cut={cut} />
      {'ruleSaved' in notice && notice.ruleSaved && ` ${t('queue.ruleSaved')}`}
    </>
  )
}

function Happened({ notice, cut }: Required<Props>) {
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
      return <Elsewhere call={notice.call} cut={cut} />
    default:
      return tx(keys[notice.kind], { tool: <AgentText>{notice.call.toolName}</AgentText> })
  }
}

/** Somebody else settled it; how, once that is known. */
function Elsewhere({ call, cut }: { call: Call; cut: boolean }) {
  const { t, tx } = useI18n()
  const known = call.status !== 'pending' && call.status !== 'in_doubt'
  const words = tx('approval.elsewhere', { tool: <AgentText>{call.toolName}</AgentText> })
  const now = known && t('queue.nowIs', { status: wordFor(t, 'status', call.status) })
  return (
    <>
      {cut ? now : words} {cut ? words : now}
    </>
  )
}
