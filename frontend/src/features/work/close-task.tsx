import { useDesk } from '../../desk/desk-context'
import type { Task, TaskEnd } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { Field } from '../../ui/field'
import { Select } from '../../ui/select'
import { useForm } from '../../ui/use-form'
import { useI18n } from './screen'
import css from './work-screen.module.css'

const results = ['success', 'failed', 'blocked'] as const

/** Ends a task by a person's word, whoever works on it. */
export function CloseTask({ task }: { task: Task }) {
  const { t } = useI18n()
  const desk = useDesk()
  const sending = useAction(async (end: TaskEnd) => (await desk.work()).close(task.projectId, task.id, end), { renews: ['tasks'] })
  const { draft, change, field, elsewhere, form } = useForm<TaskEnd, NonNullable<typeof sending.error>>({
    start: { result: 'success', summary: '' },
    sending,
    fields: () => ['summary'],
    words: (error) => errorText(t, error, t('work.summary')),
  })
  return (
    <form className={css.act} aria-label={t('work.closeTask')} {...form}>
      <Select
        label={t('work.result')}
        value={draft.result}
        options={results.map((result) => [result, t(`work.result.${result}`)])}
        onChange={(result) => {
          change({ result })
        }}
      />
      <Field label={t('work.summary')} maxLength={4000} {...field('summary')} />
      <Button type="submit" disabled={sending.busy}>
        {t('work.closeTask')}
      </Button>
      <Alert>{elsewhere}</Alert>
    </form>
  )
}
