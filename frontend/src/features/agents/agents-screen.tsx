import { useState } from 'react'
import { useLoaded } from '../../desk/queries'
import type { NewAgent } from '../../desk/types'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Empty } from '../../ui/empty'
import { Screen } from '../../ui/screen'
import { AgentRow } from './agent-row'
import css from './agents-screen.module.css'
import { Apps } from './apps'
import { CreateAgent } from './create-agent'
import { NewToken } from './new-token'
import { useI18n } from './screen'
import { Sessions } from './sessions'

/** The programs that may ask, and their tokens' beginning and end. */
export function AgentsScreen() {
  const { t } = useI18n()
  const { data: agents, error } = useLoaded('agents')
  const [made, setMade] = useState<NewAgent | null>(null)
  return (
    <Screen title={t('agents.title')} lead={t('agents.lead')}>
      <Alert>{error && errorText(t, error)}</Alert>
      {made ? (
        <NewToken
          made={made}
          onDone={() => {
            setMade(null)
          }}
        />
      ) : (
        <CreateAgent onCreated={setMade} />
      )}
      {!agents && !error && <p role="status">{t('common.loading')}</p>}
      {agents?.length === 0 && (
        <Empty title={t('agents.emptyTitle')}>
          <p>{t('agents.emptyText')}</p>
        </Empty>
      )}
      <ul className={css.list}>
        {agents?.map((agent) => (
          <AgentRow key={agent.id} agent={agent} />
        ))}
      </ul>
      {agents !== null && agents.length > 0 && <Sessions agents={agents} />}
      <Apps />
    </Screen>
  )
}
