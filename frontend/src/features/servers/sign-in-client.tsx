import { useState, type ChangeEvent, type KeyboardEvent, type SubmitEvent } from 'react'
import type { DeskError } from '../../desk/desk-error'
import type { Server, SignInClient as Client } from '../../desk/types'
import { Button } from '../../ui/button'
import { Field } from '../../ui/field'
import { useI18n } from './screen'
import { draftOf, fieldOfClient, type ClientField } from './sign-in-draft'
import css from './server-form.module.css'

interface Props {
  server: Server
  busy: boolean
  error: DeskError | null
  onSignIn: (client: Client) => void
  onCancel: () => void
}

/** The client that a person registered, where the desk cannot register itself. */
export function SignInClient({ server, busy, error, onSignIn, onCancel }: Props) {
  const { t } = useI18n()
  const [draft, setDraft] = useState(() => draftOf(server.signIn?.client ?? null))
  const field = (name: ClientField) => ({
    value: draft[name],
    error: error && fieldOfClient(error) === name ? error.message : undefined,
    onChange: (e: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      setDraft({ ...draft, [name]: e.currentTarget.value })
    },
  })
  const port = draft.port.trim()
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!busy)
      onSignIn({
        id: draft.id.trim(),
        secret: draft.secret,
        scopes: draft.scopes.split(/\s+/).filter((s) => s !== ''),
        callbackPort: port === '' ? 0 : Number(port) || -1,
      })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.nativeEvent.isComposing) onCancel()
  }
  return (
    <form
      className={css.form}
      aria-label={t('servers.signInClientOne', { server: server.id })}
      noValidate
      onSubmit={onSubmit}
      onKeyDown={onKeyDown}
    >
      <div className={css.fields}>
        <Field label={t('servers.clientId')} hint={t('servers.clientIdHint')} autoFocus {...field('id')} />
        <Field type="password" label={t('servers.clientSecret')} hint={t('servers.clientSecretHint')} {...field('secret')} />
        <Field label={t('servers.clientScopes')} hint={t('servers.clientScopesHint')} {...field('scopes')} />
        <Field
          inputMode="numeric"
          label={t('servers.clientPort')}
          hint={t('servers.clientPortHint', { redirect: `http://127.0.0.1${port && `:${port}`}/callback` })}
          {...field('port')}
        />
      </div>
      <div className={css.actions}>
        <Button small onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        <Button small type="submit" look="strong" disabled={busy}>
          {t('servers.signIn')}
        </Button>
      </div>
    </form>
  )
}
