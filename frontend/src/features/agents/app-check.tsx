import { useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import type { ClientCheck, ClientFile } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { isKey } from '../../i18n/words'
import { AgentText } from '../../ui/agent-text'
import { Alert } from '../../ui/alert'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import css from './apps.module.css'
import { useI18n } from './screen'
import type { words } from './words/en'

const looks = { closed: ['allow', 'allow'], open: ['warning', 'deny'], not_proved: ['ask', 'care'] } as const

/** Proves on demand that an app asks the desk about its own tools, and says what stands against it. */
export function AppCheck({ file }: { file: ClientFile }) {
  const { t } = useI18n()
  const desk = useDesk()
  const [found, setFound] = useState<ClientCheck | null>(null)
  const app = file.name
  const { busy, error, run } = useAction(async () => {
    setFound(null)
    setFound(await desk.checkClient(file.id))
  })
  return (
    <div className={css.check}>
      <Button small look="quiet" aria-label={t('apps.checkOne', { app })} disabled={busy} onClick={() => void run()}>
        <Icon name="try" /> {t('apps.check')}
      </Button>
      {!busy && !found && <p className={css.seen}>{t('apps.checkAbout', { app })}</p>}
      <div role="status">
        {busy && <p>{t('apps.checking', { app })}</p>}
        {found && <Found of={found} />}
      </div>
      <Alert>{error && errorText(t, error)}</Alert>
    </div>
  )
}

function Found({ of: { name: app, reasons, state } }: { of: ClientCheck }) {
  const { t } = useI18n()
  const [icon, tone] = looks[state]
  return (
    <>
      <p>
        <Badge icon={icon} tone={tone}>
          {t(`apps.checkState.${state}`)}
        </Badge>{' '}
        {t(`apps.checkText.${state}`, { app })}
      </p>
      {reasons.length > 0 && (
        <ul className={css.entries}>
          {reasons.map((why, i) => (
            <Fault key={i} of={why} />
          ))}
        </ul>
      )}
    </>
  )
}

/** What was seen, and what to do; in the desk's own English where there are no words for its code. */
function Fault({ of: { code, detail, path, repair } }: { of: ClientCheck['reasons'][number] }) {
  const { t } = useI18n()
  const key = `apps.fault.${code}`
  return (
    <li>
      {isKey<keyof typeof words>(key) ? t(key) : <AgentText as="prose">{`${code}: ${repair}`}</AgentText>}
      {[path, detail].filter(Boolean).map((text) => (
        <p key={text} className={css.seen}>
          <AgentText as={text === path ? 'path' : 'prose'}>{text}</AgentText>
        </p>
      ))}
    </li>
  )
}
