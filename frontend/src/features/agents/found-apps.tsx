import { useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import { renew } from '../../desk/follow'
import { useLive } from '../../desk/live'
import { errorText } from '../../i18n/error-text'
import { AgentText } from '../../ui/agent-text'
import { Alert } from '../../ui/alert'
import { Notice } from '../../ui/notice'
import { FoundApp } from './found-app'
import css from './found-apps.module.css'
import { useI18n } from './screen'

export interface FoundProps {
  /** Whether a panel is open whose own answer is to be in view. */
  onPanel: (open: boolean) => void
}

/** The apps that were found on the desk's machine, each with a way to the desk. */
export function FoundApps({ onPanel }: FoundProps) {
  const { t, tx } = useI18n()
  const desk = useDesk()
  const { data, error } = useLive('apps', [true])
  const info = useLive('info').data
  const [open, setOpen] = useState<readonly string[]>([])
  if (!data || !info) return error ? <Alert>{errorText(t, error)}</Alert> : <p role="status">{t('common.loading')}</p>
  const found = data.apps.filter(({ found }) => found)
  return (
    <section className={css.apps} aria-labelledby="found-title">
      <h3 className={css.title} id="found-title">
        {info.face === 'window' ? t('apps.found') : tx('apps.foundOn', { machine: <AgentText>{data.machine}</AgentText> })}
      </h3>
      <Alert>{error && errorText(t, error)}</Alert>
      {data.program === '' && <Notice tone="care">{t('apps.noProgram')}</Notice>}
      {found.length === 0 && <p>{t('apps.foundNone')}</p>}
      <ul className={css.list}>
        {found.map((app) => (
          <FoundApp
            key={app.client}
            app={app}
            files={data.files.filter(({ name }) => name === app.name)}
            onPanel={(shown) => {
              const now = [...open.filter((client) => client !== app.client), ...(shown ? [app.client] : [])]
              setOpen(now)
              onPanel(now.length > 0)
            }}
            onDone={() => void renew(desk, ['apps'])}
          />
        ))}
      </ul>
    </section>
  )
}
