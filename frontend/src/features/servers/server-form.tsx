import { DeskError, faultAt } from '../../desk/desk-error'
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
import { fieldOf, newServerDraft, serverDraft, serverOf, type ServerDraft } from './server-draft'
import { ServerConflict } from './server-conflict'
import css from './server-form.module.css'
import { TryServer } from './try-server'
import { useSeen } from './use-seen'

interface Props {
  /** As it is on the desk; null for a new one. */
  server: Server | null
  /** Somebody removed it while it is edited. */
  gone?: boolean
  /** seen is what the person knows to be on the desk; null: none. Another one fails with code lost_update. */
  onSave: (server: Server, seen: Server | null) => Promise<void>
  onCancel: () => void
}

/** The code of an error that the desk has not seen: its message is in the person's language. */
const badLine = 'bad_line'

const shownAtField = { stdio: ['command', 'args', 'env', 'cwd'], http: ['url', 'headers'], builtin: [], workspace: [] }

/** A server being written. Its name is fixed once it exists: kept secrets belong to it. */
export function ServerForm({ server, gone = false, onSave, onCancel }: Props) {
  const { t } = useI18n()
  /** What is written; fails with the line that is wrong. */
  const made = (draft: ServerDraft) => {
    const made = serverOf(draft, server)
    if ('id' in made) return made
    const message = t(made.field === 'env' ? 'servers.formEnvError' : 'servers.formHeadersError', { line: made.line })
    throw new DeskError({ code: badLine, fault: faultAt(made.field), message })
  }
  const saving = useAction(async (draft: ServerDraft, seen: Server | null) => onSave(made(draft), seen))
  const { error, busy } = saving
  const { opened, seen, conflict } = useSeen(gone ? null : server, error)
  const words = (error: DeskError) => {
    if (error.code === badLine) return error.message
    return error.code === 'already_exists' ? t('servers.exists') : errorText(t, error)
  }
  const { draft, change, field, elsewhere, form } = useForm({
    start: server ? serverDraft(server) : newServerDraft,
    sending: { busy, error, run: (draft) => saving.run(draft, seen) },
    onCancel,
    fields: ({ transport }) => [...(server ? [] : ['id']), ...shownAtField[transport]],
    fieldOf,
    words,
  })
  const tried = () => {
    try {
      return made(draft)
    } catch (thrown) {
      saving.fail(DeskError.from(thrown))
      return null
    }
  }
  const title = server ? t('servers.formEdit', { server: server.id }) : t('servers.formNew')
  return (
    <form className={css.form} aria-label={title} {...form}>
      <h2 className={css.title}>{title}</h2>
      {opened && conflict && <ServerConflict opened={opened} now={seen} />}
      <Alert>{!conflict && elsewhere}</Alert>
      <div className={css.fields}>
        {!server && <Field label={t('servers.formId')} hint={t('servers.formIdHint')} autoFocus {...field('id')} />}
        <Select
          label={t('servers.formTransport')}
          value={draft.transport}
          options={[['stdio', t('servers.stdio')], ['http', t('servers.http')]]}
          onChange={(transport) => {
            change({ transport })
          }}
        />
        {draft.transport === 'stdio' && (
          <>
            <Field label={t('servers.formCommand')} hint={t('servers.formCommandHint')} autoFocus={server !== null} {...field('command')} />
            <Field lines={3} label={t('servers.formArgs')} hint={t('servers.formArgsHint')} {...field('args')} />
            <Field lines={3} label={t('servers.formEnv')} hint={t('servers.formEnvHint')} {...field('env')} />
            <Field label={t('servers.formCwd')} {...field('cwd')} />
          </>
        )}
        {draft.transport === 'http' && (
          <>
            <Field label={t('servers.formUrl')} hint={t('servers.formUrlHint')} autoFocus={server !== null} {...field('url')} />
            <Field lines={3} label={t('servers.formHeaders')} hint={t('servers.formHeadersHint')} {...field('headers')} />
          </>
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
          <TryServer server={tried} label={t('servers.test')} />
          <Button onClick={onCancel}>{t('common.cancel')}</Button>
          <Button type="submit" look="strong" disabled={busy}>
            {t('common.save')}
          </Button>
        </div>
      </div>
    </form>
  )
}
