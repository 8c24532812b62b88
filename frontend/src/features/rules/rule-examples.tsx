import type { RuleExample } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import { useI18n } from './screen'

/** Calls that the rules must decide so: an edit that breaks one is not saved. */
export function RuleExamples({ examples }: { examples: readonly RuleExample[] }) {
  const { t, tx } = useI18n()
  if (examples.length === 0) return null
  return (
    <ul>
      {examples.map(({ serverId, toolName, input, decision }, i) => (
        // Examples have no name of their own, and keep their order.
        <li key={i}>
          {tx(`rules.must.${decision}`, { tool: <Called serverId={serverId} toolName={toolName} /> })}
          {input !== undefined && ` ${t('rules.exampleInput')}`}
        </li>
      ))}
    </ul>
  )
}

function Called({ serverId, toolName }: Pick<RuleExample, 'serverId' | 'toolName'>) {
  return (
    <>
      {serverId !== null && (
        <>
          <AgentText>{serverId}</AgentText> ·{' '}
        </>
      )}
      <AgentText>{toolName}</AgentText>
    </>
  )
}
