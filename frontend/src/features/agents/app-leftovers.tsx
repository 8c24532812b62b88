import { useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { AgentText } from '../../ui/agent-text'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { Notice } from '../../ui/notice'
import type { Outcome } from './app-outcome'
import css from './apps.module.css'
import { useI18n } from './screen'

interface Props {
  servers: readonly string[]
  onDone: (outcome: Outcome) => void
}

/** Servers that stayed when connecting or disconnecting an app did not come to its end, and a way to be rid of them. */
export function AppLeftovers({ servers, onDone }: Props) {
  const { t } = useI18n()
  const [asked, setAsked] = useState<readonly string[] | null>(null)
  return (
    <Notice tone="care">
      <p>{t('apps.leftovers', { count: servers.length })}</p>
      <Names of={servers} />
      <Button
        className={css.release}
        small
        aria-label={t('apps.leftoversRemoveAll', { count: servers.length })}
        onClick={() => {
          setAsked(servers)
        }}
      >
        {t('apps.leftoversRemove')}
      </Button>
      {asked && (
        <Confirm
          servers={asked}
          onDone={(outcome) => {
            setAsked(null)
            onDone(outcome)
          }}
          onCancel={() => {
            setAsked(null)
          }}
        />
      )}
    </Notice>
  )
}

function Names({ of }: { of: readonly string[] }) {
  return (
    <ul className={css.entries}>
      {of.map((server) => (
        <li key={server}>
          <AgentText>{server}</AgentText>
        </li>
      ))}
    </ul>
  )
}

/** The yes is for those that are named in it. */
function Confirm({ servers, onDone, onCancel }: Props & { onCancel: () => void }) {
  const { t } = useI18n()
  const desk = useDesk()
  const { error, run } = useAction(
    async () => {
      onDone({ released: await desk.removeLeftovers(servers) })
    },
    { renews: ['apps'] },
  )
  return (
    <ConfirmDialog
      title={t('apps.leftoversTitle', { count: servers.length })}
      confirm={t('apps.leftoversConfirm')}
      cancel={t('common.cancel')}
      error={error ? (error.code === 'stale' ? t('apps.leftoversStale') : errorText(t, error)) : undefined}
      onConfirm={run}
      onCancel={onCancel}
    >
      <p>{t('servers.deleteText')}</p>
      <Names of={servers} />
    </ConfirmDialog>
  )
}
