import type { Call } from '../../desk/types'
import { isNamed } from '../../i18n/use-act-sentence'
import { AgentText } from '../../ui/agent-text'
import { AskerText } from '../../ui/asker-text'
import { CutText } from '../../ui/cut-text'
import { useI18n } from './screen'

/** By which tool, for whom, and in which folder. */
export function CallPlace({ call }: { call: Call }) {
  const { tx } = useI18n()
  const names = { agent: <AskerText of={call} />, server: <AgentText>{call.serverId ?? ''}</AgentText> }
  return (
    <>
      {!isNamed(call) && <CutText>{call.toolName}</CutText>}
      <span>{tx(call.serverId === null ? 'waiting.fromItself' : 'waiting.from', names)}</span>
      {call.cwd !== null && call.cwd !== '' && <CutText as="path">{call.cwd}</CutText>}
    </>
  )
}
