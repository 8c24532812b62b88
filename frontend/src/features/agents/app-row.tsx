import { useId, useRef, useState } from 'react'
import type { ClientFile } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import { AppCheck } from './app-check'
import { AppEntries } from './app-entries'
import { AppHooks } from './app-hooks'
import type { Outcome } from './app-outcome'
import css from './apps.module.css'
import { ConnectApp } from './connect-app'
import { DisconnectApp } from './disconnect-app'
import { useI18n } from './screen'

const looks = {
  direct: ['off', 'plain'],
  partly: ['warning', 'care'],
  behind: ['allow', 'allow'],
  left: ['off', 'muted'],
  empty: ['off', 'muted'],
  broken: ['warning', 'deny'],
} as const

const deeds = {
  connect: ['import', 'apps.connect', 'apps.connectOne', 'apps.connectOwn'],
  disconnect: ['export', 'apps.disconnect', 'apps.disconnectOne', 'apps.disconnectOwn'],
} as const

interface Props {
  file: ClientFile
  hooks: boolean
  /** The file is the one by which its app can be checked. */
  checks: boolean
  /** The file whose hooks are to be written before this one; undefined where there is none. */
  after: ClientFile | undefined
  onDone: (outcome: Outcome) => void
}

/** One file of an app; what would be written is shown below it before it is. */
export function AppRow({ file, hooks, checks, after, onDone }: Props) {
  const { t } = useI18n()
  const id = useId()
  const [open, setOpen] = useState<keyof typeof deeds | null>(null)
  const leading = useRef<HTMLButtonElement>(null)
  const [icon, tone] = looks[file.state]
  const app = file.name
  const ownTools = file.entries.length > 0 && file.entries.every(({ hook }) => hook)
  const cancel = () => {
    setOpen(null)
    leading.current?.focus() // the button that led there
  }
  const done = (outcome: Outcome) => {
    setOpen(null)
    onDone(outcome)
  }
  const button = (what: keyof typeof deeds) => {
    const [sign, word, name, own] = deeds[what]
    return (
      <Button
        small
        look={what === 'connect' ? 'plain' : 'quiet'}
        ref={open === what ? leading : undefined}
        aria-expanded={open === what}
        aria-label={t(ownTools ? own : name, { app })}
        aria-describedby={`${id}-path`}
        onClick={() => {
          setOpen(open === what ? null : what)
        }}
      >
        <Icon name={sign} /> {t(word)}
      </Button>
    )
  }
  return (
    <li className={css.row}>
      <div className={css.what}>
        <p className={css.name}>
          {app}
          <Badge icon={icon} tone={tone}>
            {t(`apps.state.${file.state}`)}
          </Badge>
          {file.back && !file.back.exact && (
            <Badge icon="edit" tone="care">
              {t('apps.changed')}
            </Badge>
          )}
        </p>
        <p className={css.path} id={`${id}-path`}>
          <AgentText as="path">{file.path}</AgentText>
        </p>
        {file.error !== '' && (
          <p className={css.trouble}>
            <AgentText as="prose">{file.error}</AgentText>
          </p>
        )}
        {file.entries.filter(({ hook }) => hook).map((entry) => (
          <AppHooks key={entry.key} of={after ? { ...entry, state: 'left', why: { code: 'hooks_first', field: '', name: '', value: after.path } } : entry} />
        ))}
        {checks && <AppCheck file={file} />}
        <AppEntries entries={file.entries.filter(({ hook }) => !hook)} path={`${id}-path`} />
      </div>
      <div className={css.actions}>
        {file.move && !after && button('connect')}
        {file.back && button('disconnect')}
      </div>
      {open === 'connect' && <ConnectApp app={app} files={[file]} path={`${id}-path`} hooks={hooks} onDone={done} onCancel={cancel} />}
      {open === 'disconnect' && file.back && <DisconnectApp file={file} path={`${id}-path`} onDone={done} onCancel={cancel} />}
    </li>
  )
}
