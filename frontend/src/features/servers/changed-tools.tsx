import { useRef, useState } from 'react'
import type { Server } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Notice } from '../../ui/notice'
import { AllChanges } from './all-changes'
import { useI18n } from './screen'
import css from './servers-screen.module.css'
import { ToolChange } from './tool-change'

/** How many are shown together: nobody reads more at once. */
const together = 50

/** The tools of a server that no rule allows any more: each with its difference on demand, or all of them in one place. */
export function ChangedTools({ server }: { server: Server }) {
  const { t } = useI18n()
  const [shown, setShown] = useState<string | null>(null)
  const [all, setAll] = useState(false)
  const [accepted, setAccepted] = useState(0)
  const leading = useRef<HTMLButtonElement>(null)
  const names = server.changedTools ?? []
  const count = Math.min(names.length, together)
  const first = count < names.length
  const done = accepted > 0 && <Accepted count={accepted} />
  if (names.length === 0 && !all) return done
  const open = () => {
    setShown(null)
    setAccepted(0)
    setAll(true)
  }
  return (
    <section className={css.changed} aria-label={t('servers.changed', { count: names.length })}>
      <p className={css.changedLead}>
        <Badge icon="warning" tone="care">
          {t('servers.changed', { count: names.length })}
        </Badge>
        <span>{t('servers.changedLead')}</span>
      </p>
      {done}
      {(names.length > 1 || all) && (
        <Button
          className={css.acceptAll}
          small
          ref={leading}
          aria-expanded={all}
          aria-label={t(first ? 'servers.acceptFirstOne' : 'servers.acceptAllOne', { count, server: server.id })}
          onClick={open}
        >
          {t(first ? 'servers.acceptFirst' : 'servers.acceptAll', { count })}
        </Button>
      )}
      {all ? (
        <AllChanges
          server={server.id}
          names={names.slice(0, together)}
          onDone={(n) => {
            setAll(false)
            setAccepted(n)
          }}
          onCancel={() => {
            setAll(false)
            leading.current?.focus() // the button that led there
          }}
        />
      ) : (
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
      )}
    </section>
  )
}

/** Says it, and takes the focus: the button that led here is gone. */
function Accepted({ count }: { count: number }) {
  const { t } = useI18n()
  return (
    <div ref={focus} tabIndex={-1} className={css.changed}>
      <Notice tone="plain" icon="allow" role="status">
        {t('servers.accepted', { count })}
      </Notice>
    </div>
  )
}

function focus(notice: HTMLElement | null): void {
  notice?.focus()
}
