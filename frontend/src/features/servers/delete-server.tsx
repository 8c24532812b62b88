import { useState } from 'react'
import { DeskError } from '../../desk/desk-error'
import type { Server } from '../../desk/types'
import { errorText } from '../../i18n/error-text'
import { useI18n } from '../../i18n/i18n'
import { AgentText } from '../../ui/agent-text'
import { ConfirmDialog } from '../../ui/confirm-dialog'

interface Props {
  server: Server
  edit: (change: (servers: Server[]) => Server[]) => Promise<void>
  onDone: () => void
}

/** Asks before a server goes. */
export function DeleteServer({ server, edit, onDone }: Props) {
  const { t, tx } = useI18n()
  const [error, setError] = useState<DeskError | null>(null)
  const remove = async () => {
    try {
      await edit((servers) => servers.filter((s) => s.id !== server.id))
      onDone()
    } catch (thrown) {
      setError(DeskError.from(thrown))
    }
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
