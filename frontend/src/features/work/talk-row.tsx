import type { ReactNode } from 'react'
import { useDesk } from '../../desk/desk-context'
import type { Conversation } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { Age } from '../../i18n/age'
import { errorText } from '../../i18n/error-text'
import { When } from '../../i18n/when'
import { AgentText } from '../../ui/agent-text'
import { Alert } from '../../ui/alert'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import type { RowState } from '../../ui/object-list/object-list'
import { ObjectRow } from '../../ui/object-list/object-row'
import { useI18n } from './screen'
import { Talk } from './talk'
import { waitsForPerson } from './talk-state'
import { person, useNames } from './use-work'

/** A conversation: between whom, how far it is; its messages are below. */
export function TalkRow({ talk, state }: { talk: Conversation; state: RowState }) {
  const { t, tx } = useI18n()
  const desk = useDesk()
  const nameOf = useNames()
  const { id, projectId, participants, turns, maxTurns } = talk
  const ended = talk.state === 'ended'
  const { busy, error, run } = useAction(
    async () => {
      const work = await desk.work()
      await (ended ? work.deleteConversation(projectId, id) : work.endConversation(projectId, id))
    },
    { renews: ['conversations', 'conversation'] },
  )
  const who = (id: string): ReactNode => (id === person ? t('work.you') : <AgentText>{nameOf(id)}</AgentText>)
  const said = participants.map((id) => (id === person ? t('work.you') : nameOf(id))).join(' – ')
  return (
    <ObjectRow
      state={state}
      sentence={tx('work.between', { a: who(participants[0] ?? ''), b: who(participants[1] ?? '') })}
      facts={
        <>
          <span>{t('work.turns', { count: turns, most: maxTurns })}</span>
          <Alert>{error && errorText(t, error)}</Alert>
        </>
      }
      status={<TalkBadge talk={talk} />}
      age={
        <>
          <Age at={talk.updatedAt} />
          <When at={talk.updatedAt} />
        </>
      }
      actions={
        <>
          <Button small aria-expanded={state.expanded} aria-label={t('work.readOne', { who: said })} onClick={state.toggle}>
            {t('work.read')}
          </Button>
          <Button
            small
            aria-disabled={busy}
            aria-label={t(ended ? 'work.deleteTalkOne' : 'work.endTalkOne', { who: said })}
            onClick={() => {
              if (!busy) void run()
            }}
          >
            {t(ended ? 'work.deleteTalk' : 'work.endTalk')}
          </Button>
        </>
      }
      urgent={waitsForPerson(talk)}
      below={<Talk talk={talk} />}
    />
  )
}

function TalkBadge({ talk }: { talk: Conversation }) {
  const { t } = useI18n()
  if (waitsForPerson(talk))
    return (
      <Badge icon="ask" tone="ask">
        {t('work.yourTurn')}
      </Badge>
    )
  if (talk.state === 'ended')
    return (
      <Badge icon="off" tone="muted">
        {t('work.talkEnded')}
      </Badge>
    )
  return <Badge icon="clock">{t(talk.state === 'pending' ? 'work.talkPending' : 'work.talkActive')}</Badge>
}
