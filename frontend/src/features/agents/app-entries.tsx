import { useState } from 'react'
import type { ClientEntry } from '../../desk/types'
import { useI18n } from '../../i18n/i18n'
import { AgentText } from '../../ui/agent-text'
import { Button } from '../../ui/button'
import css from './apps.module.css'

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
          {entries.map(({ key, folder, state, serverId, reason }) => (
            <li key={`${folder} ${key}`}>
              <AgentText>{key}</AgentText>
              {folder !== '' && <> {tx('apps.folder', { folder: <AgentText as="path">{folder}</AgentText> })}</>}:{' '}
              {state === 'left' ? tx('apps.left', { reason: <AgentText as="prose">{reason}</AgentText> }) : tx(state === 'direct' ? 'apps.direct' : 'apps.behind', { server: <AgentText>{serverId}</AgentText> })}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
