import { AgentText } from './agent-text'

/** An agent's name, and behind it the kind of helper that its program gave the work to, where there is one. */
export function AskerText({ of: { agentName, agentSubagent } }: { of: { agentName: string; agentSubagent: string | null } }) {
  return (
    <>
      <AgentText>{agentName}</AgentText>
      {agentSubagent !== null && (
        <>
          {' › '}
          <AgentText>{agentSubagent}</AgentText>
        </>
      )}
    </>
  )
}
