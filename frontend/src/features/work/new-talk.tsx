import { useDesk } from '../../desk/desk-context'
import type { Project } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { Field } from '../../ui/field'
import { Select } from '../../ui/select'
import { useForm } from '../../ui/use-form'
import { useMessageKey } from './message-key'
import { useI18n } from './screen'
import { useNames } from './use-work'
import css from './work-screen.module.css'

/** The first message of a conversation between the person and a member of the project. */
export function NewTalk({ project, onClose }: { project: Project; onClose: () => void }) {
  const { t } = useI18n()
  const desk = useDesk()
  const nameOf = useNames()
  const members = Object.keys(project.members)
  const { keyOf } = useMessageKey()
  const sending = useAction(
    async ({ agentId, message }: { agentId: string; message: string }) => {
      await (await desk.work()).begin(project.id, agentId, message, keyOf(agentId, message))
      onClose()
    },
    { renews: ['conversations'] },
  )
  const { draft, change, field, elsewhere, form } = useForm<{ agentId: string; message: string }, NonNullable<typeof sending.error>>({
    start: { agentId: members[0] ?? '', message: '' },
    sending,
    onCancel: onClose,
    fields: () => ['message'],
    words: (error) => errorText(t, error, t('work.message')),
  })
  return (
    <form className={css.form} aria-label={t('work.newTalk')} {...form}>
      <h3 className={css.formTitle} tabIndex={-1} ref={focus}>
        {t('work.newTalk')}
      </h3>
      <Alert>{elsewhere}</Alert>
      {members.length === 0 ? (
        <p>{t('work.noMembers')}</p>
      ) : (
        <>
          <Select
            label={t('work.with')}
            value={draft.agentId}
            options={members.map((id) => [id, nameOf(id)])}
            onChange={(agentId) => {
              change({ agentId })
            }}
          />
          <Field label={t('work.message')} lines={3} maxLength={4000} {...field('message')} />
        </>
      )}
      <div className={css.actions}>
        <Button onClick={onClose}>{t('common.cancel')}</Button>
        {members.length > 0 && (
          <Button type="submit" look="strong" disabled={sending.busy}>
            {t('work.send')}
          </Button>
        )}
      </div>
    </form>
  )
}

/** The form came where the button was: the focus goes with it. */
function focus(heading: HTMLElement | null): void {
  heading?.focus()
}
