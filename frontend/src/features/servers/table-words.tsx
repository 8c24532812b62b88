import type { ToolTable } from '../../desk/types'
import { wordFor } from '../../i18n/error-text'
import { AgentText } from '../../ui/agent-text'
import { useI18n } from './screen'
import css from './servers-screen.module.css'
import { otherTools, rowsOf } from './tool-table'

/** Who may use which tool of a server, in words. */
export function TableWords({ table }: { table: ToolTable }) {
  const { t } = useI18n()
  if (table === null) return <>{t('servers.permissionsNone')}</>
  const rows = rowsOf(table)
  return (
    <ul className={css.levels}>
      {rows.map(([tool, permission]) => (
        <li className={css.level} key={tool}>
          <span>{tool === otherTools ? t('servers.permissionsOthers') : <AgentText>{tool}</AgentText>}</span>
          <span className={css.tools}>{wordFor(t, 'servers.may', permission)}</span>
        </li>
      ))}
      {!Object.hasOwn(table, otherTools) && (
        <li className={css.level}>
          <span>{t('servers.permissionsOthers')}</span>
          <span className={css.tools}>{t('servers.permissionsNobody')}</span>
        </li>
      )}
    </ul>
  )
}
