import type { Project, Task } from '../../desk/types'
import { Age } from '../../i18n/age'
import { wordFor } from '../../i18n/error-text'
import { When } from '../../i18n/when'
import { AgentText } from '../../ui/agent-text'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import type { RowState } from '../../ui/object-list/object-list'
import { ObjectRow } from '../../ui/object-list/object-row'
import { AssignTask } from './assign-task'
import { CloseTask } from './close-task'
import { EditTask } from './edit-task'
import { QuotedLines } from './quoted-lines'
import { useI18n } from './screen'
import { canAssign, isOpen, lookOf } from './states'
import { useNames } from './use-work'
import css from './work-screen.module.css'

interface Props {
  task: Task
  project: Project
  state: RowState
}

/** A task: what is to be done, by whom, how far it is, what came of it, and what a person can do with it. */
export function TaskRow({ task, project, state }: Props) {
  const { t, tx } = useI18n()
  const nameOf = useNames()
  const [icon, tone] = lookOf(task.state)
  const { assigneeId, createdBy, sessionId, summary, description } = task
  return (
    <ObjectRow
      state={state}
      sentence={<AgentText as="prose">{task.title}</AgentText>}
      facts={
        <>
          <span>{assigneeId === null ? t('work.nobody') : tx('work.by', { agent: <AgentText>{nameOf(assigneeId)}</AgentText> })}</span>
          {createdBy !== null && <span>{tx('work.madeBy', { agent: <AgentText>{nameOf(createdBy)}</AgentText> })}</span>}
          {summary !== '' && <AgentText as="prose">{summary}</AgentText>}
        </>
      }
      status={
        <Badge icon={icon} tone={tone}>
          {wordFor(t, 'work.state', task.state)}
        </Badge>
      }
      age={
        <>
          <Age at={task.updatedAt} />
          <When at={task.updatedAt} />
        </>
      }
      actions={
        <>
          <Button small aria-expanded={state.expanded} aria-label={t('work.openTask', { task: task.title })} onClick={state.toggle}>
            {t('work.open')}
          </Button>
          {sessionId !== '' && (
            <a href={`#/activity?q=${encodeURIComponent(sessionId)}`} aria-label={t('work.callsOf', { task: task.title })}>
              {t('work.calls')}
            </a>
          )}
        </>
      }
      below={
        <div className={css.below}>
          {description !== '' && <QuotedLines text={description} />}
          {task.state !== 'done' && <EditTask task={task} />}
          {canAssign(task.state) && <AssignTask task={task} project={project} />}
          {isOpen(task.state) && <CloseTask task={task} />}
          {description === '' && !canAssign(task.state) && !isOpen(task.state) && <p className={css.soft}>{t('work.nothingMore')}</p>}
        </div>
      }
    />
  )
}
