import type { DeskError } from '../../desk/desk-error'
import type { Server, SignInClient as Client } from '../../desk/types'
import { Button } from '../../ui/button'
import { Field } from '../../ui/field'
import { useForm } from '../../ui/use-form'
import { useI18n } from './screen'
import { clientFields, clientOf, draftOf, fieldOfClient } from './sign-in-draft'
import css from './server-form.module.css'

interface Props {
  server: Server
  sending: { busy: boolean; error: DeskError | null; run: (client: Client) => Promise<DeskError | null> }
  onCancel: () => void
}

/** The client that a person registered, where the desk cannot register itself. */
export function SignInClient({ server, sending, onCancel }: Props) {
  const { t } = useI18n()
  const { draft, field, form } = useForm({
    start: draftOf(server.signIn?.client ?? null),
    sending: { ...sending, run: (draft) => sending.run(clientOf(draft)) },
    onCancel,
    fields: () => clientFields,
    fieldOf: fieldOfClient,
  })
  const port = draft.port.trim()
  return (
    <form className={css.form} aria-label={t('servers.signInClientOne', { server: server.id })} {...form}>
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
        <Button small type="submit" look="strong" disabled={sending.busy}>
          {t('servers.signIn')}
        </Button>
      </div>
    </form>
  )
}
