import { useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import type { Agent } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { When } from '../../i18n/when'
import { AgentText } from '../../ui/agent-text'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { Icon } from '../../ui/icon'
import { AgentRole } from './agent-role'
import css from './agents-screen.module.css'
import { useI18n } from './screen'
import { StopState } from './stop-state'

/** One agent, and the end of its token. */
export function AgentRow({ agent }: { agent: Agent }) {
  const { t, tx } = useI18n()
  const desk = useDesk()
  const [asking, setAsking] = useState(false)
  const { error, run } = useAction(
    async () => {
      await desk.deleteAgent(agent.id)
      setAsking(false)
    },
    { renews: ['agents'] },
  )
  return (
    <li className={css.row}>
      <p className={css.who}>
        <Icon name="agent" /> <AgentText>{agent.name}</AgentText>{' '}
        <small className={css.since}>{tx('agents.since', { time: <When at={agent.createdAt} /> })}</small>
      </p>
      <AgentRole agent={agent} />
      <StopState agent={agent} />
      <Button
        look="quiet"
        small
        aria-label={t('agents.revokeOne', { agent: agent.name })}
        onClick={() => {
          setAsking(true)
        }}
      >
        <Icon name="off" /> {t('agents.revoke')}
      </Button>
      {asking && (
        <ConfirmDialog
          title={tx('agents.revokeTitle', { agent: <AgentText>{agent.name}</AgentText> })}
          confirm={t('agents.revokeConfirm')}
          cancel={t('common.cancel')}
          error={error ? errorText(t, error) : undefined}
          onConfirm={run}
          onCancel={() => {
            setAsking(false)
          }}
        >
          <p>{t('agents.revokeText')}</p>
        </ConfirmDialog>
      )}
    </li>
  )
}
