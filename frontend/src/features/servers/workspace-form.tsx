import type { Server } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { Check } from '../../ui/check'
import { Field } from '../../ui/field'
import { Select } from '../../ui/select'
import { useForm } from '../../ui/use-form'
import { useI18n } from './screen'
import { fieldOf } from './server-draft'
import css from './server-form.module.css'
import { ServerConflict } from './server-conflict'
import { useSeen } from './use-seen'
import { newWorkspaceDraft, workspaceDraft, workspaceOf, type WorkspaceDraft } from './workspace-draft'

interface Props {
  /** As it is on the desk; null for a new one. */
  server: Server | null
  /** Somebody removed it while it is edited. */
  gone?: boolean
  onSave: (server: Server, seen: Server | null) => Promise<void>
  onCancel: () => void
}

/** A workspace being written: a folder, and who executes there. */
export function WorkspaceForm({ server, gone = false, onSave, onCancel }: Props) {
  const { t } = useI18n()
  const saving = useAction(async (draft: WorkspaceDraft, seen: Server | null) => onSave(workspaceOf(draft, server), seen))
  const { error, busy } = saving
  const { opened, seen, conflict } = useSeen(gone ? null : server, error)
  const { draft, change, field, elsewhere, form } = useForm({
    start: server ? workspaceDraft(server) : newWorkspaceDraft,
    sending: { busy, error, run: (draft) => saving.run(draft, seen) },
    onCancel,
    fields: ({ execution }) => [...(server ? [] : ['id']), 'cwd', ...(execution === 'desk' ? ['programFolders'] : [])],
    fieldOf,
    words: (error) => (error.code === 'already_exists' ? t('servers.exists') : errorText(t, error)),
  })
  const title = server ? t('servers.formEdit', { server: server.id }) : t('servers.workspaceNew')
  return (
    <form className={css.form} aria-label={title} {...form}>
      <h2 className={css.title}>{title}</h2>
      {opened && conflict && <ServerConflict opened={opened} now={seen} />}
      <Alert>{!conflict && elsewhere}</Alert>
      <p className={css.lead}>{t('servers.workspaceLead')}</p>
      <div className={css.fields}>
        {!server && <Field label={t('servers.formId')} hint={t('servers.formIdHint')} autoFocus {...field('id')} />}
        <Field
          label={t('servers.workspaceFolder')}
          hint={t(draft.execution === 'desk' ? 'servers.workspaceFolderHint' : 'servers.workspaceFolderFar')}
          autoFocus={server !== null}
          {...field('cwd')}
        />
        <Select
          label={t('servers.workspaceExecution')}
          value={draft.execution}
          options={[['desk', t('servers.workspaceDesk')], ['client', t('servers.workspaceClient')]]}
          onChange={(execution) => {
            change({ execution })
          }}
        />
        {draft.execution === 'desk' && (
          <Field lines={2} label={t('servers.workspacePrograms')} hint={t('servers.workspaceProgramsHint')} {...field('programFolders')} />
        )}
      </div>
      <div className={css.row}>
        <Check
          label={t('servers.formEnabled')}
          checked={draft.enabled}
          onChange={(enabled) => {
            change({ enabled })
          }}
        />
        <div className={css.actions}>
          <Button onClick={onCancel}>{t('common.cancel')}</Button>
          <Button type="submit" look="strong" disabled={busy}>
            {t('common.save')}
          </Button>
        </div>
      </div>
    </form>
  )
}
