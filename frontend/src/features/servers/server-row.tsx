import { useState } from 'react'
import type { Server } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import { BuiltinNote } from './builtin-note'
import { ChangedTools } from './changed-tools'
import { DeleteServer } from './delete-server'
import { FlaggedTools } from './flagged-tools'
import { useI18n } from './screen'
import { ServerForm } from './server-form'
import { ServerState } from './server-state'
import css from './servers-screen.module.css'
import { SignIn, takesSignIn } from './sign-in'
import { ToolLevels } from './tool-levels'
import { ToolTableView } from './tool-table-view'
import { TryServer } from './try-server'
import { putServer, useEdit } from './use-servers'
import { WorkspaceFacts } from './workspace-facts'
import { WorkspaceForm } from './workspace-form'

interface Props {
  server: Server
  /** It is no longer on the desk, and stays while it is edited. */
  gone: boolean
  /** Whether it is edited now. */
  onEdited: (edited: boolean) => void
}

/** One server; edited where it stands. */
export function ServerRow({ server, gone, onEdited }: Props) {
  const { t } = useI18n()
  const edit = useEdit()
  const [mode, setMode] = useState<'shown' | 'edited' | 'deleted'>('shown')
  const [back, setBack] = useState(false)
  const show = () => {
    setBack(true) // to the button that led away
    setMode('shown')
    onEdited(false)
  }
  const save = async (made: Server, seen: Server | null) => {
    await edit(putServer(made, seen))
    show()
  }
  const isBuiltin = server.transport === 'builtin'
  if (mode === 'edited') {
    const Form = server.transport === 'workspace' ? WorkspaceForm : ServerForm
    return (
      <li>
        <Form server={server} gone={gone} onSave={save} onCancel={show} />
      </li>
    )
  }
  return (
    <li className={css.row}>
      <div className={css.what}>
        <p className={css.name}>
          <AgentText>{server.id}</AgentText>
          <ServerState server={server} />
        </p>
        {isBuiltin ? (
          <BuiltinNote />
        ) : (
          <p className={css.command}>
            <AgentText as="path">{placeOf(server)}</AgentText>
          </p>
        )}
        {server.trouble && (
          <p className={css.trouble}>
            <AgentText as="prose">{server.trouble}</AgentText>
          </p>
        )}
        <WorkspaceFacts server={server} />
        {server.endsChildren === false && <p className={css.tools}>{t('servers.strays')}</p>}
        {server.tools.length > 0 && <p className={css.tools}>{t('servers.tools', { count: server.tools.length })}</p>}
      </div>
      {!isBuiltin && (
        <div className={css.actions}>
          {takesSignIn(server) && <SignIn server={server} />}
          <TryServer server={() => server} label={t('servers.testOne', { server: server.id })} />
          <Button
            look="quiet"
            small
            autoFocus={back}
            aria-label={t('servers.editOne', { server: server.id })}
            onClick={() => {
              setMode('edited')
              onEdited(true)
            }}
          >
            <Icon name="edit" /> {t('common.edit')}
          </Button>
          <Button
            look="quiet"
            small
            aria-label={t('servers.deleteOne', { server: server.id })}
            onClick={() => {
              setMode('deleted')
            }}
          >
            <Icon name="trash" /> {t('servers.remove')}
          </Button>
        </div>
      )}
      <ChangedTools server={server} />
      <ToolTableView server={server} />
      <ToolLevels server={server} />
      <FlaggedTools server={server.id} tools={server.flaggedTools ?? []} />
      {mode === 'deleted' && <DeleteServer server={server} onDone={show} />}
    </li>
  )
}

function placeOf({ transport, url, cwd, command, args }: Server): string {
  if (transport === 'http') return url ?? ''
  return transport === 'workspace' ? cwd : [command, ...args].join(' ')
}
