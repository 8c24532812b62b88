import { Fragment } from 'react'
import type { ClientProof } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import css from './apps.module.css'
import { useI18n } from './screen'

/** What an app's servers are behind the desk, beside what they were without it. */
export function AppProofs({ of }: { of: readonly ClientProof[] }) {
  const { t } = useI18n()
  return (
    <>
      <ul className={css.entries}>
        {of.map((proof) => (
          <li key={proof.serverId}>
            <AgentText>{proof.key}</AgentText>: <Shown of={proof} />
          </li>
        ))}
      </ul>
      {of.some(({ state }) => state !== 'same') && <p>{t('apps.proofUndo')}</p>}
    </>
  )
}

const differences = ['missing', 'added', 'changed'] as const

function Shown({ of }: { of: ClientProof }) {
  const { t, tx } = useI18n()
  if (of.state === 'lost') return tx('apps.proof.lost', { reason: <AgentText as="prose">{of.error}</AgentText> })
  const words = t(`apps.proof.${of.state}`, { count: of.tools, seconds: Math.round(of.seconds * 10) / 10 })
  return (
    <>
      {words}
      {differences.map((what) => {
        const names = of[what].map((name, i) => (
          <Fragment key={name}>
            {i > 0 && ', '}
            <AgentText>{name}</AgentText>
          </Fragment>
        ))
        return names.length > 0 && <p key={what}>{tx(`apps.tools.${what}`, { names: <>{names}</> })}</p>
      })}
    </>
  )
}
