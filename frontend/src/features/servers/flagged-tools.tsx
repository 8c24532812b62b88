import { useBlockTool } from '../../desk/use-block-tool'
import type { FlaggedTool } from '../../desk/types'
import { errorText } from '../../i18n/error-text'
import { useI18n } from '../../i18n/i18n'
import { useFlagWords } from '../../i18n/use-flag-words'
import { AgentText } from '../../ui/agent-text'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Notice } from '../../ui/notice'
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
  const { t } = useI18n()
  const words = useFlagWords((text) => <AgentText as="path">{text}</AgentText>)
  const { state, error, block } = useBlockTool(server, toolName, t('flag.note'))
  return (
    <>
      <p>
        <AgentText>{toolName}</AgentText>
      </p>
      {words(flags)}
      {error && (
        <Notice tone="deny" role="alert">
          {errorText(t, error)}
        </Notice>
      )}
      <div role="status">{state === 'blocked' && t('flag.blocked')}</div>
      {state !== 'blocked' && (
        <Button small disabled={state === 'busy'} aria-label={t('flag.blockOne', { tool: toolName })} onClick={() => void block()}>
          {t('flag.block')}
        </Button>
      )}
    </>
  )
}
