import { useState } from 'react'
import type { ClientEntry } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import { Button } from '../../ui/button'
import { AppObstacle } from './app-obstacle'
import css from './apps.module.css'
import { useI18n } from './screen'

/** The tool servers in a file, and where each stands, on demand. */
export function AppEntries({ entries, path }: { entries: ClientEntry[]; path: string }) {
  const { t, tx } = useI18n()
  const [shown, setShown] = useState(false)
  if (entries.length === 0) return null
  return (
    <>
      <Button
        className={css.toggle}
        look="quiet"
        small
        aria-expanded={shown}
        aria-describedby={path}
        onClick={() => {
          setShown(!shown)
        }}
      >
        {t('apps.entries', { count: entries.length })}
      </Button>
      {shown && (
        <ul className={css.entries}>
          {entries.map((entry) => (
            <li key={`${entry.folder} ${entry.key}`}>
              <AgentText>{entry.key}</AgentText>
              {entry.folder !== '' && <> {tx('apps.folder', { folder: <AgentText as="path">{entry.folder}</AgentText> })}</>}:{' '}
              <Standing of={entry} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function Standing({ of }: { of: ClientEntry }) {
  const { tx } = useI18n()
  if (of.state === 'left') return tx('apps.left', { reason: <AppObstacle of={of} /> })
  const server = <AgentText>{of.serverId}</AgentText>
  if (of.state === 'behind') return tx('apps.behind', { server })
  return tx(of.off ? 'apps.directOff' : 'apps.direct', { server })
}
