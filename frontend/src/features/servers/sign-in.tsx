import { useEffect, useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'
import type { Server } from '../../desk/types'
import { errorText } from '../../i18n/error-text'
import { useI18n } from '../../i18n/i18n'
import { AgentText } from '../../ui/agent-text'
import { Button } from '../../ui/button'
import { Notice } from '../../ui/notice'
import css from './sign-in.module.css'

interface Props {
  server: Server
  reload: () => Promise<void>
}

const lookMs = 2000

/** Signs the desk in to a server over HTTP that has no token of its own, and out. */
export function SignIn({ server, reload }: Props) {
  const { t } = useI18n()
  const desk = useDesk()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<DeskError | null>(null)
  const state = server.signIn?.state ?? 'none'
  useEffect(() => {
    if (state !== 'waiting') return
    const timer = setInterval(() => void reload(), lookMs)
    return () => {
      clearInterval(timer)
    }
  }, [state, reload])
  const attempt = async (act: () => Promise<void>) => {
    setBusy(true)
    setError(null)
    try {
      await act()
    } catch (thrown) {
      setError(DeskError.from(thrown))
    } finally {
      setBusy(false)
      await reload()
    }
  }
  const signIn = () =>
    attempt(async () => {
      const begun = await desk.signIn(server.id)
      if (begun.url !== '') desk.openPage(begun.url)
    })
  const signOut = () => attempt(() => desk.signOut(server.id))
  return (
    <div className={css.signIn}>
      {state === 'signedIn' ? (
        <Button look="quiet" small disabled={busy} aria-label={t('servers.signOutOne', { server: server.id })} onClick={() => void signOut()}>
          {t('servers.signOut')}
        </Button>
      ) : (
        <Button look="quiet" small disabled={busy} aria-label={t('servers.signInOne', { server: server.id })} onClick={() => void signIn()}>
          {t('servers.signIn')}
        </Button>
      )}
      <div role="status" className={css.seen}>
        {busy && t('servers.signInAsking')}
        <How server={server} />
        {error && <Notice tone="deny">{errorText(t, error)}</Notice>}
      </div>
    </div>
  )
}

/** How far it is. */
function How({ server }: { server: Server }) {
  const { t, tx } = useI18n()
  const desk = useDesk()
  const at = server.signIn
  if (!at || at.state === 'none') return null
  const issuer = <AgentText as="path">{at.issuer}</AgentText>
  if (at.state === 'signedIn') return tx('servers.signedIn', { issuer })
  if (at.state === 'waiting') {
    return (
      <Notice tone="plain" icon="clock">
        <p>{tx('servers.signInWaiting', { issuer })}</p>
        <p>
          <a
            href={at.url}
            target="_blank"
            rel="noreferrer"
            onClick={(event) => {
              event.preventDefault()
              desk.openPage(at.url)
            }}
          >
            {t('servers.signInAgain')}
          </a>
        </p>
      </Notice>
    )
  }
  return (
    <Notice tone="deny">
      <p>{t(at.state === 'expired' ? 'servers.signInExpired' : 'servers.signInFailed')}</p>
      <p>
        <AgentText as="prose">{at.error}</AgentText>
      </p>
    </Notice>
  )
}

/** Whether a server can be signed in to: one over HTTP that sends no Authorization of its own. */
export function takesSignIn(server: Server): boolean {
  return server.transport === 'http' && !Object.keys(server.headers).some((name) => name.toLowerCase() === 'authorization')
}
