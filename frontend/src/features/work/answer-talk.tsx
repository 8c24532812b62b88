import { useDesk } from '../../desk/desk-context'
import type { Conversation } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { Field } from '../../ui/field'
import { useForm, type Change } from '../../ui/use-form'
import { useMessageKey } from './message-key'
import { useI18n } from './screen'
import css from './talk.module.css'

/** The person's next message in a conversation. One whose answer is lost is sent again as the same. */
export function AnswerTalk({ talk: { projectId, id } }: { talk: Conversation }) {
  const { t } = useI18n()
  const desk = useDesk()
  const { keyOf, sent } = useMessageKey()
  const sending = useAction(
    async ({ message }: { message: string }, change: Change<{ message: string }>) => {
      await (await desk.work()).say(projectId, id, message, keyOf(message))
      sent()
      change((now) => (now.message === message ? { message: '' } : {})) // what was written meanwhile stays
    },
    { renews: ['conversation', 'conversations'] },
  )
  const { field, elsewhere, form } = useForm<{ message: string }, NonNullable<typeof sending.error>>({
    start: { message: '' },
    sending,
    fields: () => ['message'],
    words: (error) => errorText(t, error, t('work.message')),
  })
  return (
    <form className={css.answer} aria-label={t('work.answer')} {...form}>
      <Field label={t('work.message')} lines={2} maxLength={4000} {...field('message')} />
      <Button type="submit" look="strong" disabled={sending.busy}>
        {t('work.send')}
      </Button>
      <Alert>{elsewhere}</Alert>
    </form>
  )
}
