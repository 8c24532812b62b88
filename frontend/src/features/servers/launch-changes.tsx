import type { TextLook, ToolLook } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import css from './all-changes.module.css'
import { FoldedDifference } from './folded-difference'
import { useI18n } from './screen'
import { nameOfLaunch, type Unfolded } from './use-unfolded'

/** How the server is started or reached now, once for all tools that were allowed under the same. */
export function LaunchChanges({ looks, unfolded }: { looks: readonly ToolLook[]; unfolded: Unfolded }) {
  const { t } = useI18n()
  const groups = new Map<string, { launch: TextLook; tools: string[] }>()
  for (const { launch, toolName } of looks) {
    if (!launch) continue
    const change = nameOfLaunch(launch)
    const group = groups.get(change) ?? { launch, tools: [] }
    group.tools.push(toolName)
    groups.set(change, group)
  }
  return [...groups].map(([change, { launch, tools }]) => (
    <div className={css.change} key={change}>
      <FoldedDifference name={change} label={t('tool.launch')} text={launch} unfolded={unfolded} />
      {tools.length < looks.length && (
        <p className={css.names}>
          {tools.map((tool) => (
            <AgentText key={tool}>{tool}</AgentText>
          ))}
        </p>
      )}
    </div>
  ))
}
