import { useCoded } from '../../../i18n/coded'
import { AgentText } from '../../../ui/agent-text'
import { Badge } from '../../../ui/badge'
import type { Look } from '../../../desk/types'
import type { Looked } from '../answer/use-look'
import css from './approval-dialog.module.css'

export interface WorkspaceProps {
  looked: Looked
  /** The input is no longer the one that the desk looked at. */
  edited: boolean
}

const looks = { full: ['allow', 'allow'], files: ['ask', 'ask'], none: ['warning', 'deny'] } as const

/** Where a call of a workspace's tools runs: its folder, who executes, and of a command the program, its network and its confinement. */
export function CallWorkspace({ looked, edited }: WorkspaceProps) {
  const { t, tx, coded } = useCoded()
  const place = looked.look?.workspace
  if (!place || !coded) return null
  const { folder, execution, program, verb, confinement, missing } = place
  const [icon, tone] = looks[execution === 'desk' ? (confinement ?? 'none') : 'files']
  const net = networkOf(place)
  const where = { folder: <AgentText as="path">{folder}</AgentText> }
  return (
    <ul className={css.place} aria-label={t('place.title')}>
      <li>{execution === 'desk' ? tx('place.desk', where) : tx('place.client', where)}</li>
      {program !== '' && !edited && (
        <>
          <li>
            {tx('place.program', { program: <AgentText>{verb === '' ? program : `${program} ${verb}`}</AgentText> })}{' '}
            {net && <strong>{t(net)}</strong>}
          </li>
          <li>
            <Badge icon={icon} tone={tone}>
              {t(execution === 'desk' ? `place.${confinement ?? 'none'}` : 'place.unknown')}
            </Badge>{' '}
            {missing.length > 0 && t('place.missing', { list: missing.join(', ') })}
          </li>
        </>
      )}
    </ul>
  )
}

/** What is known of the network of a command; null is nothing: at a client, or before the desk has tried what this computer can do. */
function networkOf({ execution, network, confinement, missing }: NonNullable<Look['workspace']>): 'place.network' | 'place.noNetwork' | null {
  if (network || missing.includes('seccomp')) return 'place.network'
  const tried = confinement !== undefined && (confinement !== 'none' || missing.length > 0)
  return execution === 'desk' && tried ? 'place.noNetwork' : null
}
