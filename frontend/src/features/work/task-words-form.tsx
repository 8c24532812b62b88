import { useDesk } from '../../desk/desk-context'
import type { Task, TaskWords } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { Field } from '../../ui/field'
import { useForm } from '../../ui/use-form'
import { useI18n } from './screen'
import css from './work-screen.module.css'

/** Title and description of a task, being written anew. */
export function TaskWordsForm({ task, onClose }: { task: Task; onClose: () => void }) {
  const { t } = useI18n()
  const desk = useDesk()
  const sending = useAction(
    async (words: TaskWords) => {
      await (await desk.work()).edit(task.projectId, task.id, words, task.updatedAt)
      onClose()
    },
    { renews: ['tasks'] },
  )
  const labels = { title: t('work.taskTitle'), description: t('work.description') }
  const { field, elsewhere, form } = useForm<TaskWords, NonNullable<typeof sending.error>>({
    start: { title: task.title, description: task.description },
    sending,
    onCancel: onClose,
    fields: () => ['title', 'description'],
    words: (error) => errorText(t, error, error.field === 'description' ? labels.description : labels.title),
  })
  return (
    <form className={css.form} aria-label={t('work.editTask')} {...form}>
      <Alert>{elsewhere}</Alert>
      <Field label={labels.title} autoFocus maxLength={200} {...field('title')} />
      <Field label={labels.description} lines={4} maxLength={20000} {...field('description')} />
      <div className={css.actions}>
        <Button onClick={onClose}>{t('common.cancel')}</Button>
        <Button type="submit" look="strong" disabled={sending.busy}>
          {t('common.save')}
        </Button>
      </div>
    </form>
  )
}
