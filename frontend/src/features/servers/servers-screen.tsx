import { useState } from 'react'
import { useWatched } from '../../desk/queries'
import type { Server } from '../../desk/types'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { Empty } from '../../ui/empty'
import { Icon } from '../../ui/icon'
import { Screen } from '../../ui/screen'
import { useI18n } from './screen'
import { SecretsNote } from './secrets-note'
import { ServerForm } from './server-form'
import { ServerRow } from './server-row'
import css from './servers-screen.module.css'
import { putServer, useEdit } from './use-servers'
import { WorkspaceForm } from './workspace-form'

/** So often a sign-in that goes on in a browser is looked at. */
const lookMs = 2000

/** The tool servers behind the desk. */
export function ServersScreen() {
  const { t } = useI18n()
  const { data: servers, error } = useWatched('servers', (all) => all.some(({ signIn }) => signIn?.state === 'waiting') && lookMs)
  const edit = useEdit()
  const [adding, setAdding] = useState<'server' | 'workspace' | null>(null)
  const [edited, setEdited] = useState<Server[]>([]) // as they were when their forms were opened
  const [back, setBack] = useState(false)
  const close = () => {
    setBack(true) // to the button that led away
    setAdding(null)
  }
  const create = async (server: Server) => {
    await edit(putServer(server, null))
    close()
  }
  const gone = edited.filter(({ id }) => servers?.every((s) => s.id !== id))
  const add = (
    <div className={css.add}>
      <Button
        onClick={() => {
          setAdding('workspace')
        }}
      >
        <Icon name="plus" /> {t('servers.addWorkspace')}
      </Button>
      <Button
        look="strong"
        autoFocus={back}
        onClick={() => {
          setAdding('server')
        }}
      >
        <Icon name="plus" /> {t('servers.add')}
      </Button>
    </div>
  )
  return (
    <Screen title={t('servers.title')} lead={t('servers.lead')} action={!adding && add}>
      <Alert>{error && errorText(t, error)}</Alert>
      {adding === 'server' && <ServerForm server={null} onSave={create} onCancel={close} />}
      {adding === 'workspace' && <WorkspaceForm server={null} onSave={create} onCancel={close} />}
      {!servers && !error && <p role="status">{t('common.loading')}</p>}
      {servers?.length === 0 && !adding && (
        <Empty title={t('servers.emptyTitle')}>
          <p>{t('servers.emptyText')}</p>
        </Empty>
      )}
      <ul className={css.list}>
        {[...(servers ?? []), ...gone].map((server) => (
          <ServerRow
            key={server.id}
            server={server}
            gone={gone.includes(server)}
            onEdited={(on) => {
              setEdited((all) => [...all.filter(({ id }) => id !== server.id), ...(on ? [server] : [])])
            }}
          />
        ))}
      </ul>
      <SecretsNote />
    </Screen>
  )
}
