import { useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import { DeskError, faultAt } from '../../desk/desk-error'
import { useLoaded } from '../../desk/queries'
import type { Project } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { useCallerWords } from '../../i18n/use-caller-words'
import { AgentText } from '../../ui/agent-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { Field } from '../../ui/field'
import { quote } from '../../ui/quote'
import { Select } from '../../ui/select'
import { useForm } from '../../ui/use-form'
import { useI18n } from './screen'
import { showProject, useNames } from './use-work'
import css from './work-screen.module.css'

interface Draft {
  id: string
  members: Readonly<Record<string, string>>
}

interface Props {
  /** null: a new one. */
  project: Project | null
  onClose: () => void
}

/** The error of a new project, of whose name another window has made one. */
function taken(error: DeskError): DeskError {
  return error.code === 'lost_update' ? new DeskError({ code: 'already_exists', fault: faultAt('projectId'), message: error.message }) : error
}

/** The members of a project, each with the role that its sessions have; a new project has a name too. */
export function ProjectForm({ project, onClose }: Props) {
  const { t } = useI18n()
  const desk = useDesk()
  const words = useCallerWords(quote)
  const nameOf = useNames()
  const agents = useLoaded('agents').data ?? []
  const [seen] = useState(project?.updatedAt ?? null) // the draft is of this one, whatever is loaded meanwhile
  const sending = useAction(
    async ({ id, members }: Draft) => {
      const roles = await desk.roles()
      await roles.putProject(id.trim(), members, seen).catch((thrown: unknown) => {
        throw seen === null ? taken(DeskError.from(thrown)) : thrown
      })
      if (!project) showProject(id.trim())
      onClose()
    },
    { renews: ['projects'] },
  )
  const { draft, change, errors, elsewhere, form } = useForm<Draft, NonNullable<typeof sending.error>>({
    start: project ? { id: project.id, members: project.members } : { id: '', members: {} },
    sending,
    onCancel: onClose,
    fields: () => ['projectId'],
    words: (error) => errorText(t, error, t('work.projectName')),
  })
  const ids = [...new Set([...agents.map(({ id }) => id), ...Object.keys(draft.members)])]
  const title = project ? t('work.membersOf', { project: project.id }) : t('work.newProject')
  return (
    <form className={css.form} aria-label={title} {...form}>
      <h2 className={css.formTitle}>{title}</h2>
      <Alert>{elsewhere}</Alert>
      {!project && (
        <Field
          label={t('work.projectName')}
          hint={t('work.projectNameHint')}
          autoFocus
          value={draft.id}
          error={errors.projectId}
          onChange={(e: { currentTarget: { value: string } }) => {
            change({ id: e.currentTarget.value })
          }}
        />
      )}
      {ids.length === 0 ? (
        <p>
          <a href="#/agents">{t('work.noAgents')}</a>
        </p>
      ) : (
        <ul className={css.members}>
          {ids.map((id) => (
            <li key={id} className={css.member}>
              <AgentText>{nameOf(id)}</AgentText>
              <Select
                label={t('work.memberOne', { agent: nameOf(id) })}
                place="hidden"
                small
                value={draft.members[id] ?? 'none'}
                options={[['none', t('work.noMember')], ['worker', words.role('worker')], ['manager', words.role('manager')]]}
                onChange={(role) => {
                  const others = Object.entries(draft.members).filter(([member]) => member !== id)
                  change({ members: Object.fromEntries(role === 'none' ? others : [...others, [id, role]]) })
                }}
              />
            </li>
          ))}
        </ul>
      )}
      <div className={css.actions}>
        <Button onClick={onClose}>{t('common.cancel')}</Button>
        <Button type="submit" look="strong" disabled={sending.busy}>
          {t('common.save')}
        </Button>
      </div>
    </form>
  )
}
