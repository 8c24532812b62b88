import { useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import type { Project, Task } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { Select } from '../../ui/select'
import { useI18n } from './screen'
import { useNames } from './use-work'
import css from './work-screen.module.css'

/** Gives a task to a member of its project; one that failed or is blocked is then done again. */
export function AssignTask({ task, project }: { task: Task; project: Project }) {
  const { t } = useI18n()
  const desk = useDesk()
  const nameOf = useNames()
  const members = Object.keys(project.members)
  const [chosen, setChosen] = useState<string | null>(null)
  const { busy, error, run } = useAction(async (agent: string) => (await desk.work()).assign(project.id, task.id, agent), { renews: ['tasks'] })
  const agent = chosen ?? task.assigneeId ?? members[0]
  if (agent === undefined) return <p className={css.soft}>{t('work.noMembers')}</p>
  return (
    <div className={css.act}>
      <Select label={t('work.assignTo')} value={agent} options={[...new Set([...members, agent])].map((id) => [id, nameOf(id)])} onChange={setChosen} />
      <Button disabled={busy} onClick={() => void run(agent)}>
        {t(task.state === 'todo' ? 'work.assign' : 'work.assignAgain')}
      </Button>
      <Alert>{error && errorText(t, error)}</Alert>
    </div>
  )
}
