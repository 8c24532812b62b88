import { AgentText } from './agent-text'
import css from './agent-label.module.css'

/** The name of an agent, with the end of its id where another one has the same name. */
export function AgentLabel({ name, end }: { name: string; end: string | undefined }) {
  return (
    <>
      <AgentText>{name}</AgentText>
      {end !== undefined && (
        <code className={css.end} dir="ltr" translate="no">
          …{end}
        </code>
      )}
    </>
  )
}
