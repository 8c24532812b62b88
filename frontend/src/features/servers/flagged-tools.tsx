import type { FlaggedTool } from '../../desk/types'
import { useFlagWords } from '../../i18n/use-flag-words'
import { AgentText } from '../../ui/agent-text'
import { Badge } from '../../ui/badge'
import { BlockTool } from './block-tool'
import { useI18n } from './screen'
import css from './servers-screen.module.css'

/** The tools of a server that deceive whoever reads what they say of themselves, each with a way to deny it. */
export function FlaggedTools({ server, tools }: { server: string; tools: readonly FlaggedTool[] }) {
  const { t } = useI18n()
  if (tools.length === 0) return null
  const title = t('servers.flagged', { count: tools.length })
  return (
    <section className={css.changed} aria-label={title}>
      <p className={css.changedLead}>
        <Badge icon="warning" tone="deny">
          {title}
        </Badge>
      </p>
      <ul className={css.changedList}>
        {tools.map((tool) => (
          <li key={tool.toolName}>
            <Flagged server={server} tool={tool} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Flagged({ server, tool: { toolName, flags } }: { server: string; tool: FlaggedTool }) {
  const words = useFlagWords((text) => <AgentText as="path">{text}</AgentText>)
  return (
    <>
      <p>
        <AgentText>{toolName}</AgentText>
      </p>
      {words(flags)}
      <p>
        <BlockTool server={server} tool={toolName} />
      </p>
    </>
  )
}
