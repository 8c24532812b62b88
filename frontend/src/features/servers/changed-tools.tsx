import { useState } from 'react'
import type { Server } from '../../desk/types'
import { useI18n } from '../../i18n/i18n'
import { AgentText } from '../../ui/agent-text'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import css from './servers-screen.module.css'
import { ToolChange } from './tool-change'

/** The tools of a server that no rule allows any more, each with its difference on demand. */
export function ChangedTools({ server }: { server: Server }) {
  const { t } = useI18n()
  const [shown, setShown] = useState<string | null>(null)
  const names = server.changedTools ?? []
  if (names.length === 0) return null
  return (
    <section className={css.changed} aria-label={t('servers.changed', { count: names.length })}>
      <p className={css.changedLead}>
        <Badge icon="warning" tone="care">
          {t('servers.changed', { count: names.length })}
        </Badge>
        <span>{t('servers.changedLead')}</span>
      </p>
      <ul className={css.changedList}>
        {names.map((name) => (
          <li key={name}>
            <Button
              look="quiet"
              small
              aria-expanded={shown === name}
              aria-label={t('servers.showChange', { tool: name })}
              onClick={() => {
                setShown(shown === name ? null : name)
              }}
            >
              <AgentText>{name}</AgentText>
            </Button>
            {shown === name && <ToolChange server={server.id} name={name} />}
          </li>
        ))}
      </ul>
    </section>
  )
}
