import type { MadeCall } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import { useI18n } from './screen'
import css from './reach.module.css'

/** A call that the desk made up, in one line. */
export function MadeCallText({ call: { serverId, toolName, input = '{}', agentId, agentName, agentSubagent, cwd } }: { call: MadeCall }) {
  const { tx } = useI18n()
  const named = [serverId, toolName].filter((name) => name !== null).join(' · ')
  const beside = [agentName || agentId, agentSubagent, cwd].filter(Boolean).join(' · ')
  return (
    <p className={css.made}>
      {tx('rules.reachExample', { call: <AgentText as="path">{`${named} ${input}`}</AgentText> })}
      {beside !== '' && (
        <>
          {' · '}
          <AgentText>{beside}</AgentText>
        </>
      )}
    </p>
  )
}
