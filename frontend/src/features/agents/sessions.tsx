import { useMemo, useState } from 'react'
import { useLoaded } from '../../desk/queries'
import type { Agent, MadeSession, Session } from '../../desk/types'
import { errorText } from '../../i18n/error-text'
import { AgentLabel } from '../../ui/agent-label'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import { byAgent } from '../../ui/object-list/by-agent'
import { ObjectList } from '../../ui/object-list/object-list'
import { RowHeading } from '../../ui/object-list/row-heading'
import { NewPasskey } from './new-passkey'
import { NewSession } from './new-session'
import { useI18n } from './screen'
import { SessionRow } from './session-row'
import css from './sessions.module.css'

/** About the height of a row, in pixels. */
const rowHeight = 72

/** Two agents may use one id. */
const keyOf = ({ agentId, id }: Session) => `${agentId} ${id}`

/** The sessions that go on, and the way to make one: only here its passkey is shown, and nothing keeps it. */
export function Sessions({ agents }: { agents: readonly Agent[] }) {
  const { t } = useI18n()
  const { data, error } = useLoaded('sessions')
  const [adding, setAdding] = useState(false)
  const [made, setMade] = useState<MadeSession | null>(null)
  const [back, setBack] = useState(false)
  const groups = useMemo(() => byAgent((data ?? []).filter(({ state }) => state !== 'ended')), [data])
  const close = () => {
    setBack(true) // to the button that led away
    setAdding(false)
    setMade(null)
  }
  return (
    <section className={css.sessions} aria-labelledby="sessions-title">
      <header className={css.head}>
        <div>
          <h2 className={css.title} id="sessions-title">
            {t('sessions.title')}
          </h2>
          <p className={css.lead}>{t('sessions.lead')}</p>
        </div>
        {!adding && !made && (
          <Button
            autoFocus={back}
            onClick={() => {
              setAdding(true)
            }}
          >
            <Icon name="plus" /> {t('sessions.new')}
          </Button>
        )}
      </header>
      {adding && (
        <NewSession
          agents={agents}
          onCancel={close}
          onMade={(session) => {
            setAdding(false)
            setMade(session)
          }}
        />
      )}
      {made && <NewPasskey made={made} onDone={close} />}
      <Alert>{error && errorText(t, error)}</Alert>
      {data && groups.length === 0 && <p className={css.lead}>{t('sessions.none')}</p>}
      <ObjectList
        label={t('sessions.list')}
        groups={groups}
        keyOf={keyOf}
        estimate={rowHeight}
        flat
        heading={({ agentName, end }, row) => <RowHeading state={row} name={<AgentLabel name={agentName} end={end} />} />}
      >
        {(session, row) => <SessionRow session={session} state={row} />}
      </ObjectList>
    </section>
  )
}
