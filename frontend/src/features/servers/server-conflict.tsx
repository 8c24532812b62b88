import type { Server } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import { Notice } from '../../ui/notice'
import { useI18n } from './screen'
import { serverDraft, type ServerDraft } from './server-draft'
import { tableText } from './tool-table'
import { TableWords } from './table-words'
import css from './server-form.module.css'

const fields = {
  command: 'servers.formCommand',
  args: 'servers.formArgs',
  env: 'servers.formEnv',
  cwd: 'servers.formCwd',
  url: 'servers.formUrl',
  headers: 'servers.formHeaders',
} as const satisfies Partial<Record<keyof ServerDraft, string>>

/** What became of a server on the desk while a person was editing it; null: somebody removed it. */
export function ServerConflict({ opened, now }: { opened: Server; now: Server | null }) {
  const { t } = useI18n()
  if (now === null) {
    return (
      <Notice tone="deny" role="alert">
        {t('servers.conflictGone')}
      </Notice>
    )
  }
  const [before, after] = [serverDraft(opened), serverDraft(now)]
  const changed = (Object.keys(fields) as (keyof typeof fields)[]).filter((field) => before[field] !== after[field])
  const [moved, switched] = [before.transport !== after.transport, before.enabled !== after.enabled]
  const other = tableText(opened.toolPermissions) !== tableText(now.toolPermissions)
  return (
    <Notice tone="deny" role="alert">
      <p>{t('servers.conflict')}</p>
      <ul className={css.changed}>
        {moved && (
          <li>
            {t('servers.formTransport')}: {t(after.transport === 'http' ? 'servers.http' : 'servers.stdio')}
          </li>
        )}
        {changed.map((field) => (
          <li key={field}>
            {t(fields[field])}: {after[field] === '' ? t('servers.conflictEmpty') : <Lines of={after[field]} />}
          </li>
        ))}
        {switched && <li>{t(after.enabled ? 'servers.formEnabled' : 'servers.disabled')}</li>}
        {other && (
          <li>
            {t('servers.permissions')}: <TableWords table={now.toolPermissions ?? null} />
          </li>
        )}
        {!moved && !switched && !other && changed.length === 0 && <li>{t('servers.conflictHidden')}</li>}
      </ul>
    </Notice>
  )
}

function Lines({ of }: { of: string }) {
  return of.split('\n').map((line, i) => (
    <span className={css.line} key={`${String(i)} ${line}`}>
      <AgentText as="path">{line}</AgentText>
    </span>
  ))
}
