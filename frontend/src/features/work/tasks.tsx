import { useMemo, useState } from 'react'
import { useLoaded } from '../../desk/queries'
import type { Project, Task } from '../../desk/types'
import { errorText, wordFor } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { grouped } from '../../ui/grouped'
import { Icon } from '../../ui/icon'
import { idOf } from '../../ui/object-list/by-agent'
import { ObjectList } from '../../ui/object-list/object-list'
import { RowHeading } from '../../ui/object-list/row-heading'
import { NewTask } from './new-task'
import { useI18n } from './screen'
import { byState } from './states'
import { TaskRow } from './task-row'
import css from './work-screen.module.css'

/** About the height of a row, in pixels. */
const rowHeight = 72

interface Props {
  project: Project
  /** The task that the address asks for. */
  marked: string
}

/** The tasks of a project by their states: first what waits for a person, last what is done. */
export function Tasks({ project, marked }: Props) {
  const { t } = useI18n()
  const { data, error } = useLoaded('tasks', [project.id])
  const [adding, setAdding] = useState(false)
  const [back, setBack] = useState(false)
  const groups = useMemo(() => {
    const of = grouped((data ?? []).toReversed(), ({ state }) => state)
    return [...of].map(([key, items]) => ({ key, items })).sort((a, b) => byState(a.key, b.key))
  }, [data])
  const close = () => {
    setBack(true) // to the button that led away
    setAdding(false)
  }
  return (
    <section className={css.part} aria-labelledby="tasks-title">
      <header className={css.head}>
        <h2 className={css.title} id="tasks-title">
          {t('work.tasks')}
        </h2>
        {!adding && (
          <Button
            look="strong"
            autoFocus={back}
            onClick={() => {
              setAdding(true)
            }}
          >
            <Icon name="plus" /> {t('work.newTask')}
          </Button>
        )}
      </header>
      {adding && <NewTask project={project} onClose={close} />}
      <Alert>{error && errorText(t, error)}</Alert>
      {data?.length === 0 && !adding && <p className={css.soft}>{t('work.noTasks')}</p>}
      <ObjectList
        label={t('work.tasks')}
        groups={groups}
        keyOf={idOf<Task>}
        estimate={rowHeight}
        marked={marked}
        heading={({ key, items }, row) => <RowHeading state={row} name={wordFor(t, 'work.state', key)} about={items.length} />}
      >
        {(task, row) => <TaskRow task={task} project={project} state={row} />}
      </ObjectList>
    </section>
  )
}
