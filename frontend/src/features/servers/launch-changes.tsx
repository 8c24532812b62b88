import type { TextLook, ToolLook } from '../../desk/types'
import { useI18n } from '../../i18n/i18n'
import { useDifference } from '../../i18n/use-difference'
import { AgentText } from '../../ui/agent-text'
import { Difference } from '../../ui/diff-view/difference'
import css from './all-changes.module.css'

/** How the server is started or reached now, once for all tools that were allowed under the same. */
export function LaunchChanges({ looks }: { looks: readonly ToolLook[] }) {
  const { t } = useI18n()
  const said = useDifference()
  const groups = new Map<string, { launch: TextLook; tools: string[] }>()
  for (const { launch, toolName } of looks) {
    if (!launch) continue
    const change = `${launch.before} ${launch.after}`
    const group = groups.get(change) ?? { launch, tools: [] }
    group.tools.push(toolName)
    groups.set(change, group)
  }
  return [...groups].map(([change, { launch, tools }]) => (
    <div className={css.change} key={change}>
      <Difference label={t('tool.launch')} lines={launch.lines} {...said(launch)} />
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
