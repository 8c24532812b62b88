import type { PendingCall, Summary } from '../../../desk/types'
import { useSummaryWords } from '../../../i18n/use-summary-words'
import { AgentText } from '../../../ui/agent-text'
import type { Looked } from '../answer/use-look'
import css from './approval-dialog.module.css'

interface Props {
  call: PendingCall
  looked: Looked
  id: string
  /** The input is no longer the one that the desk looked at. */
  edited: boolean
}

/** What the call does, in one line. */
export function CallSummary({ call, looked, id, edited }: Props) {
  const { line } = useSummaryWords((text, as) => <AgentText as={as ?? 'name'}>{text}</AgentText>)
  const summary = edited ? byName(call) : (looked.look?.summary ?? (looked.known ? byName(call) : null))
  return (
    <p className={css.summary} id={id}>
      {summary && line(summary)}
    </p>
  )
}

/** What is said of a call by its tool alone. */
function byName({ toolName, serverId }: PendingCall): Summary {
  const params = serverId === null ? { tool: toolName } : { tool: toolName, server: serverId }
  return { code: serverId === null ? 'calls_own' : 'calls', params, programs: [], rest: [], text: toolName }
}
