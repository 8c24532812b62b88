import { useState } from 'react'
import { useLoaded } from '../../desk/queries'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { Empty } from '../../ui/empty'
import { Icon } from '../../ui/icon'
import { Screen } from '../../ui/screen'
import { Select } from '../../ui/select'
import { CoordinationSwitch } from './coordination-switch'
import { ProjectForm } from './project-form'
import { useI18n } from './screen'
import { Talks } from './talks'
import { Tasks } from './tasks'
import { showProject, useAddress } from './use-work'
import css from './work-screen.module.css'

/** What agents do together, project by project: their tasks and their conversations, those with the person among them. */
export function WorkScreen() {
  const { t } = useI18n()
  const { data: projects, error } = useLoaded('projects')
  const address = useAddress()
  const [edited, setEdited] = useState<'none' | 'new' | 'members'>('none')
  const project = projects?.find(({ id }) => id === address.project) ?? projects?.[0]
  const [back, setBack] = useState<'none' | 'new' | 'members'>('none')
  const close = () => {
    setBack(edited) // to the button that led away
    setEdited('none')
  }
  const add = (
    <Button
      look={projects?.length === 0 ? 'strong' : 'plain'}
      autoFocus={back === 'new'}
      onClick={() => {
        setEdited('new')
      }}
    >
      <Icon name="plus" /> {t('work.newProject')}
    </Button>
  )
  return (
    <Screen title={t('work.title')} lead={t('work.lead')} action={edited === 'none' && add}>
      <Alert>{error && errorText(t, error)}</Alert>
      <CoordinationSwitch />
      {!projects && !error && <p role="status">{t('common.loading')}</p>}
      {projects?.length === 0 && edited === 'none' && (
        <Empty title={t('work.emptyTitle')}>
          <p>{t('work.emptyText')}</p>
        </Empty>
      )}
      {project && projects && edited === 'none' && (
        <div className={css.bar}>
          <Select label={t('work.project')} place="beside" value={project.id} options={projects.map(({ id }) => [id, id])} onChange={showProject} />
          <Button
            small
            autoFocus={back === 'members'}
            onClick={() => {
              setEdited('members')
            }}
          >
            {t('work.members', { count: Object.keys(project.members).length })}
          </Button>
        </div>
      )}
      {edited !== 'none' && <ProjectForm key={edited} project={edited === 'members' ? (project ?? null) : null} onClose={close} />}
      {project && (
        <div key={project.id} className={css.parts}>
          <Tasks project={project} marked={address.task} />
          <Talks project={project} />
        </div>
      )}
    </Screen>
  )
}
