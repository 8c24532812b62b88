import type { Server } from '../../desk/types'
import { useI18n } from './screen'
import css from './servers-screen.module.css'
import { TableWords } from './table-words'

/** Who may use the tools of a server that has a table of permissions. */
export function ToolTableView({ server: { toolPermissions = null } }: { server: Server }) {
  const { t } = useI18n()
  if (toolPermissions === null) return null
  return (
    <details className={css.changed}>
      <summary className={css.levelsTitle}>{t('servers.permissions')}</summary>
      <TableWords table={toolPermissions} />
    </details>
  )
}
