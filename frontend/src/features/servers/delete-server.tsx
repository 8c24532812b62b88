import { useState } from 'react'
import type { Server } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { AgentText } from '../../ui/agent-text'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { useI18n } from './screen'
import { removeServer, useEdit } from './use-servers'

interface Props {
  server: Server
  onDone: () => void
}

/** Asks before a server goes. */
export function DeleteServer({ server, onDone }: Props) {
  const { t, tx } = useI18n()
  const edit = useEdit()
  const [opened] = useState(server)
  const [told, setTold] = useState(false) // that it was changed meanwhile
  const { error, run } = useAction(() => edit(removeServer(told ? server : opened)))
  const remove = async () => {
    const refused = await run()
    if (refused) setTold((before) => before || refused.code === 'lost_update')
    else onDone()
  }
  return (
    <ConfirmDialog
      title={tx('servers.deleteTitle', { server: <AgentText>{server.id}</AgentText> })}
      confirm={t('servers.deleteConfirm')}
      cancel={t('common.cancel')}
      error={error ? errorText(t, error) : undefined}
      onConfirm={remove}
      onCancel={onDone}
    >
      <p>{t('servers.deleteText')}</p>
    </ConfirmDialog>
  )
}
