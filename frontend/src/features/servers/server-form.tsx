import { useState, type ChangeEvent, type KeyboardEvent, type SubmitEvent } from 'react'
import { DeskError } from '../../desk/desk-error'
import type { Server } from '../../desk/types'
import { serverErrorText } from '../../i18n/server-refusal'
import { Button } from '../../ui/button'
import { Check } from '../../ui/check'
import { Field } from '../../ui/field'
import { Notice } from '../../ui/notice'
import { Select } from '../../ui/select'
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

const shownAtField = { stdio: ['id', 'command', 'args', 'env', 'cwd'], http: ['id', 'url', 'headers'] }

/** A server being written. Its name is fixed once it exists: kept secrets belong to it. */
export function ServerForm({ server, gone = false, onSave, onCancel }: Props) {
  const { t } = useI18n()
  const [draft, setDraft] = useState(server ? serverDraft(server) : newServerDraft)
  const [error, setError] = useState<DeskError | null>(null)
  const [busy, setBusy] = useState(false)
  const { opened, seen, conflict } = useSeen(gone ? null : server, error)
  /** What is written, or null with the error said. */
  const tried = () => {
    const made = serverOf(draft, server)
    if ('id' in made) return made
    const message = t(made.field === 'env' ? 'servers.formEnvError' : 'servers.formHeadersError', { line: made.line })
    setError(new DeskError({ code: badLine, field: made.field, message }))
    return null
  }
  const save = async () => {
    const made = tried()
    if (!made) return
    setBusy(true)
    setError(null)
    try {
      await onSave(made, seen)
    } catch (thrown) {
      setError(DeskError.from(thrown))
      setBusy(false)
    }
  }
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!busy) void save()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.nativeEvent.isComposing) onCancel()
  }
  const wrong = fieldOf(error?.field)
  const exists = error?.code === 'already_exists' && t('servers.exists')
  const said = error && (error.code === badLine ? error.message : exists || serverErrorText(t, error))
  const field = (name: 'id' | 'command' | 'args' | 'env' | 'cwd' | 'url' | 'headers') => ({
    value: draft[name],
    error: said !== null && wrong === name ? said : undefined,
    onChange: (e: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      setDraft({ ...draft, [name]: e.currentTarget.value } satisfies ServerDraft)
    },
  })
  const title = server ? t('servers.formEdit', { server: server.id }) : t('servers.formNew')
  return (
    <form className={css.form} aria-label={title} noValidate onSubmit={onSubmit} onKeyDown={onKeyDown}>
      <h2 className={css.title}>{title}</h2>
      {opened && conflict && <ServerConflict opened={opened} now={seen} />}
      {error && !conflict && !(shownAtField[draft.transport].includes(wrong) && (wrong !== 'id' || !server)) && (
        <Notice tone="deny" role="alert">
          {said}
        </Notice>
      )}
      <div className={css.fields}>
        {!server && <Field label={t('servers.formId')} hint={t('servers.formIdHint')} autoFocus {...field('id')} />}
        <Select
          label={t('servers.formTransport')}
          value={draft.transport}
          options={[['stdio', t('servers.stdio')], ['http', t('servers.http')]]}
          onChange={(transport) => {
            setDraft({ ...draft, transport })
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
            setDraft({ ...draft, enabled })
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
