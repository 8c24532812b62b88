import { useState } from 'react'
import { DeskError } from '../../desk/desk-error'
import type { Server } from '../../desk/types'
import { serverErrorText } from '../../i18n/server-refusal'
import { AgentText } from '../../ui/agent-text'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { useI18n } from './screen'
import { removeServer } from './use-servers'

interface Props {
  server: Server
  edit: (change: (servers: Server[]) => Server[]) => Promise<void>
  onDone: () => void
}

/** Asks before a server goes. */
export function DeleteServer({ server, edit, onDone }: Props) {
  const { t, tx } = useI18n()
  const [error, setError] = useState<DeskError | null>(null)
  const [opened] = useState(server)
  const [told, setTold] = useState(false) // that it was changed meanwhile
  const remove = async () => {
    try {
      await edit(removeServer(told ? server : opened))
      onDone()
    } catch (thrown) {
      const failed = DeskError.from(thrown)
      setTold((before) => before || failed.code === 'lost_update')
      setError(failed)
    }
  }
  return (
    <ConfirmDialog
      title={tx('servers.deleteTitle', { server: <AgentText>{server.id}</AgentText> })}
      confirm={t('servers.deleteConfirm')}
      cancel={t('common.cancel')}
      error={error ? serverErrorText(t, error) : undefined}
      onConfirm={remove}
      onCancel={onDone}
    >
      <p>{t('servers.deleteText')}</p>
    </ConfirmDialog>
  )
}
