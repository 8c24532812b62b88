import { useDesk } from '../../desk/desk-context'
import type { Project } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { Field } from '../../ui/field'
import { Select } from '../../ui/select'
import { useForm } from '../../ui/use-form'
import { useI18n } from './screen'
import { useNames } from './use-work'
import css from './work-screen.module.css'

const empty = { title: '', description: '', assigneeId: '' }

/** A task being written, for a member of the project or for nobody yet. */
export function NewTask({ project, onClose }: { project: Project; onClose: () => void }) {
  const { t } = useI18n()
  const desk = useDesk()
  const nameOf = useNames()
  const sending = useAction(
    async ({ assigneeId, ...task }: typeof empty) => {
      await (await desk.work()).makeTask(project.id, { ...task, assigneeId: assigneeId === '' ? null : assigneeId })
      onClose()
    },
    { renews: ['tasks'] },
  )
  const labels = { title: t('work.taskTitle'), description: t('work.description') }
  const { draft, change, field, elsewhere, form } = useForm<typeof empty, NonNullable<typeof sending.error>>({
    start: empty,
    sending,
    onCancel: onClose,
    fields: () => ['title', 'description'],
    words: (error) => errorText(t, error, error.field === 'description' ? labels.description : labels.title),
  })
  return (
    <form className={css.form} aria-label={t('work.newTask')} {...form}>
      <h3 className={css.formTitle}>{t('work.newTask')}</h3>
      <Alert>{elsewhere}</Alert>
      <Field label={labels.title} autoFocus maxLength={200} {...field('title')} />
      <Field label={labels.description} lines={4} maxLength={20000} {...field('description')} />
      <Select
        label={t('work.assignTo')}
        value={draft.assigneeId}
        options={[['', t('work.nobody')], ...Object.keys(project.members).map((id) => [id, nameOf(id)] as const)]}
        onChange={(assigneeId) => {
          change({ assigneeId })
        }}
      />
      <div className={css.actions}>
        <Button onClick={onClose}>{t('common.cancel')}</Button>
        <Button type="submit" look="strong" disabled={sending.busy}>
          {t('work.makeTask')}
        </Button>
      </div>
    </form>
  )
}
