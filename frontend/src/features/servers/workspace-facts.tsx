import type { Server } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import { Badge } from '../../ui/badge'
import { useI18n } from './screen'
import css from './servers-screen.module.css'

const looks = { full: ['allow', 'allow'], files: ['ask', 'ask'], none: ['warning', 'deny'] } as const

/** Who executes in a workspace, how far its commands are confined, and which programs do not work. */
export function WorkspaceFacts({ server: { execution, confinement } }: { server: Server }) {
  const { t, tx } = useI18n()
  if (execution === 'client') return <p className={css.tools}>{t('servers.workspaceClient')}</p>
  if (!confinement) return null
  const { level, missing, programs, trouble } = confinement
  const [icon, tone] = looks[level]
  const broken = programs.filter((program) => program.trouble !== '')
  return (
    <>
      <p className={css.confined}>
        <Badge icon={icon} tone={tone}>
          {t(`servers.confined.${level}`)}
        </Badge>{' '}
        {missing.length > 0 && t('servers.confinedMissing', { list: missing.join(', ') })}
      </p>
      {trouble !== '' && (
        <p className={css.trouble}>
          <AgentText as="prose">{trouble}</AgentText>
        </p>
      )}
      {broken.map((program) => (
        <p className={css.trouble} key={program.name}>
          {tx('servers.programFails', { program: <AgentText>{program.name}</AgentText>, why: <AgentText as="prose">{program.trouble}</AgentText> })}
        </p>
      ))}
    </>
  )
}
