import { useEffect, useRef, useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'
import type { Server, SignInClient as Client } from '../../desk/types'
import { errorText } from '../../i18n/error-text'
import { Button } from '../../ui/button'
import { Notice } from '../../ui/notice'
import { useI18n } from './screen'
import { SignInClient } from './sign-in-client'
import { fieldOfClient } from './sign-in-draft'
import { Says, SignInState, wanted } from './sign-in-state'
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
  const [left, setLeft] = useState('') // what a sign-out left undone, in the desk's words
  const state = server.signIn?.state ?? 'none'
  useEffect(() => {
    if (state !== 'waiting') return
    const timer = setInterval(() => void reload(), lookMs)
    return () => {
      clearInterval(timer)
    }
  }, [state, reload])
  const [writing, setWriting] = useState(false)
  const writes = useRef<HTMLButtonElement>(null)
  const wrote = useRef(false)
  useEffect(() => {
    if (wrote.current && !writing) writes.current?.focus() // the button that led away
    wrote.current = writing
  }, [writing])
  const attempt = async (act: () => Promise<void>) => {
    setBusy(true)
    setError(null)
    setLeft('')
    try {
      await act()
    } catch (thrown) {
      setError(DeskError.from(thrown))
    } finally {
      setBusy(false)
      await reload()
    }
  }
  const signIn = (client?: Client) =>
    attempt(async () => {
      const begun = await (client ? desk.signIn(server.id, client) : desk.signIn(server.id))
      setWriting(false)
      if (begun.url !== '') desk.openPage(begun.url)
    })
  const write = (on: boolean) => {
    setError(null)
    setWriting(on)
  }
  const signOut = () =>
    attempt(async () => {
      setLeft((await desk.signOut(server.id)).error)
    })
  return (
    <div className={css.signIn}>
      {wanted(server).length > 0 && (
        <Button look="quiet" small disabled={busy} aria-label={t('servers.signInMoreOne', { server: server.id })} onClick={() => void signIn()}>
          {t('servers.signInMore')}
        </Button>
      )}
      {state === 'signedIn' ? (
        <Button look="quiet" small disabled={busy} aria-label={t('servers.signOutOne', { server: server.id })} onClick={() => void signOut()}>
          {t('servers.signOut')}
        </Button>
      ) : (
        <Button look="quiet" small disabled={busy} aria-label={t('servers.signInOne', { server: server.id })} onClick={() => void signIn()}>
          {t('servers.signIn')}
        </Button>
      )}
      {state !== 'signedIn' && !writing && (
        <Button
          ref={writes}
          look="quiet"
          small
          disabled={busy}
          aria-label={t('servers.signInClientOne', { server: server.id })}
          onClick={() => {
            write(true)
          }}
        >
          {t('servers.signInClient')}
        </Button>
      )}
      {writing && (
        <div className={css.client}>
          <SignInClient
            server={server}
            busy={busy}
            error={error}
            onSignIn={(client) => void signIn(client)}
            onCancel={() => {
              write(false)
            }}
          />
        </div>
      )}
      <div role="status" className={css.seen}>
        {busy && t('servers.signInAsking')}
        <SignInState server={server} />
        {left !== '' && <Says words={left} />}
        {error && !(writing && fieldOfClient(error)) && <Notice tone="deny">{errorText(t, error)}</Notice>}
      </div>
    </div>
  )
}

/** Whether a server can be signed in to: one over HTTP that sends no Authorization of its own. */
export function takesSignIn(server: Server): boolean {
  return server.transport === 'http' && !Object.keys(server.headers).some((name) => name.toLowerCase() === 'authorization')
}
