import { useLoaded } from '../../desk/queries'
import type { Conversation } from '../../desk/types'
import { errorText } from '../../i18n/error-text'
import { When } from '../../i18n/when'
import { AgentText } from '../../ui/agent-text'
import { Alert } from '../../ui/alert'
import { AnswerTalk } from './answer-talk'
import { QuotedLines } from './quoted-lines'
import { useI18n } from './screen'
import css from './talk.module.css'
import { isPersons } from './talk-state'
import { person, useNames } from './use-work'

/** What was said in a conversation, in its order, and the person's way to answer where it is theirs. */
export function Talk({ talk }: { talk: Conversation }) {
  const { t } = useI18n()
  const nameOf = useNames()
  const { data, error } = useLoaded('conversation', [talk.projectId, talk.id])
  return (
    <div className={css.talk}>
      <Alert>{error && errorText(t, error)}</Alert>
      {!data && !error && <p role="status">{t('common.loading')}</p>}
      <ol className={css.messages} role="log" aria-label={t('work.messages')} tabIndex={0}>
        {data?.messages.map(({ id, from, text, createdAt, deliveredAt }) => (
          <li key={id} className={css.message} data-own={from === person}>
            <p className={css.from}>
              {from === person ? t('work.you') : <AgentText>{nameOf(from)}</AgentText>} <When at={createdAt} />
              {from === person && deliveredAt === null && <span>{t('work.undelivered')}</span>}
            </p>
            {from === person ? <p className={css.text}>{text}</p> : <QuotedLines text={text} />}
          </li>
        ))}
      </ol>
      {talk.state !== 'ended' && isPersons(talk) && <AnswerTalk talk={talk} />}
    </div>
  )
}
