import { useDesk } from '../../desk/desk-context'
import type { Session } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { Age } from '../../i18n/age'
import { errorText } from '../../i18n/error-text'
import { useCallerWords } from '../../i18n/use-caller-words'
import { When } from '../../i18n/when'
import { AgentText } from '../../ui/agent-text'
import { Alert } from '../../ui/alert'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import type { RowState } from '../../ui/object-list/object-list'
import { ObjectRow } from '../../ui/object-list/object-row'
import { quote } from '../../ui/quote'
import { useI18n } from './screen'

/** One session of an agent: what it is in it, for which project, until when, and its end. */
export function SessionRow({ session, state }: { session: Session; state: RowState }) {
  const { t, tx } = useI18n()
  const desk = useDesk()
  const words = useCallerWords(quote)
  const { busy, error, run } = useAction(async () => (await desk.roles()).endSession(session.id), { renews: ['sessions', 'grants'] })
  const { role, purpose, projectId, client, cwd, expiresAt } = session
  return (
    <ObjectRow
      state={state}
      sentence={role && purpose ? words.whole({ role, purpose, task: null }) : t('sessions.own')}
      facts={
        <>
          {projectId !== null && <span>{tx('sessions.project', { project: <AgentText>{projectId}</AgentText> })}</span>}
          <span>{tx('sessions.id', { session: <AgentText as="path">{session.id}</AgentText> })}</span>
          {client !== null && <span>{tx('sessions.client', { client: <AgentText>{client}</AgentText> })}</span>}
          {cwd !== null && <AgentText as="path">{cwd}</AgentText>}
          <Alert>{error && errorText(t, error)}</Alert>
        </>
      }
      status={<SessionBadge session={session} />}
      age={
        <>
          <Age at={session.lastSeenAt ?? session.createdAt} />
          {expiresAt !== null && <span>{tx('sessions.until', { time: <When at={expiresAt} /> })}</span>}
        </>
      }
      actions={
        <Button
          small
          aria-disabled={busy}
          aria-label={t('sessions.endOne', { session: session.id })}
          onClick={() => {
            if (!busy) void run()
          }}
        >
          {t('sessions.end')}
        </Button>
      }
    />
  )
}

function SessionBadge({ session: { state, role, expiresAt } }: { session: Session }) {
  const { t } = useI18n()
  if (state === 'review')
    return (
      <Badge icon="ask" tone="ask">
        {t('sessions.review')}
      </Badge>
    )
  if (role !== null && expiresAt === null) return <Badge icon="clock">{t('sessions.waits')}</Badge>
  return (
    <Badge icon="allow" tone="allow">
      {t('sessions.open')}
    </Badge>
  )
}
