import { useRef, useState } from 'react'
import type { ClientApp, ClientFile } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import { AppOutcome, type Outcome } from './app-outcome'
import { AppSteps } from './app-steps'
import { AppUnasked } from './app-unasked'
import { ConnectApp } from './connect-app'
import css from './found-apps.module.css'
import { useI18n } from './screen'

interface Props {
  app: ClientApp
  /** All files of the app. */
  files: readonly ClientFile[]
  onPanel: (open: boolean) => void
  onDone: () => void
}

/** An app that was found: what it may do unasked, all of it connected at once, and how far it came. */
export function FoundApp({ app, files, onPanel, onDone }: Props) {
  const { t } = useI18n()
  const [open, setOpen] = useState(false)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const leading = useRef<HTMLButtonElement>(null)
  const show = (shown: boolean) => {
    setOpen(shown)
    onPanel(shown)
  }
  const broken = files.filter(({ state }) => state === 'broken')
  const movable = files.filter(({ move }) => move !== null)
  return (
    <li className={css.row}>
      <div className={css.what}>
        <p className={css.name}>{app.name}</p>
        <AppUnasked app={app} />
        {broken.map(({ id, path, error }) => (
          <p key={id} className={css.soft}>
            <AgentText as="path">{path}</AgentText>: <AgentText as="prose">{error}</AgentText>
          </p>
        ))}
        {movable.length === 0 && !app.wired && <p className={css.soft}>{t('apps.nothingToConnect')}</p>}
      </div>
      {movable.length > 0 && (
        <Button
          small
          look={app.wired ? 'plain' : 'strong'}
          ref={leading}
          aria-expanded={open}
          aria-label={t(app.wired ? 'apps.connectRest' : 'apps.connectOne', { app: app.name })}
          onClick={() => {
            show(!open)
          }}
        >
          <Icon name="import" /> {t('apps.connect')}
        </Button>
      )}
      {app.wired && (
        <div className={css.way}>
          <AppSteps app={app} />
        </div>
      )}
      {open && (
        <ConnectApp
          app={app.name}
          files={movable}
          hooks
          leftOut={broken}
          onDone={(of) => {
            show(false)
            setOutcome(of)
            onDone()
          }}
          onCancel={() => {
            show(false)
            leading.current?.focus()
          }}
        />
      )}
      {outcome && !open && (
        <div className={css.way}>
          <AppOutcome of={outcome} />
        </div>
      )}
    </li>
  )
}
