import type { PendingCall } from '../../../desk/types'
import { write } from '../../../i18n/format'
import { useI18n } from '../../../i18n/i18n'
import { AgentText } from '../../../ui/agent-text'
import { RiskBadge } from '../dialog/risk-badge'
import { toolCounts, type ToolCount } from '../queue/flood'
import css from './card.module.css'

/** The tools that many calls are for, each with its number. */
export function FloodTools({ calls }: { calls: readonly PendingCall[] }) {
  const { t } = useI18n()
  return (
    <ul className={css.tools} aria-label={t('queue.tools')} tabIndex={0}>
      {toolCounts(calls).map((tool) => (
        <Tool key={JSON.stringify([tool.serverId, tool.toolName])} tool={tool} />
      ))}
    </ul>
  )
}

function Tool({ tool: { toolName, serverId, count, risk } }: { tool: ToolCount }) {
  const { t, language } = useI18n()
  return (
    <li className={css.tool}>
      <span className={css.toolName}>
        <AgentText>{toolName}</AgentText>
        <span className={css.server}>{serverId === null ? t('queue.ownTool') : <AgentText>{serverId}</AgentText>}</span>
      </span>
      <RiskBadge risk={risk} reasons={[]} />
      <span className={css.times}>× {write(count, language)}</span>
    </li>
  )
}
