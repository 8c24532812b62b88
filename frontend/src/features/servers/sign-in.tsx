import { useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import type { Server, SignInClient as Client } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { Button } from '../../ui/button'
import { Notice } from '../../ui/notice'
import { useReturnFocus } from '../../ui/use-return-focus'
import { useI18n } from './screen'
import { SignInClient } from './sign-in-client'
import { fieldOfClient } from './sign-in-draft'
import { Says, SignInState, wanted } from './sign-in-state'
import css from './sign-in.module.css'

/** Signs the desk in to a server over HTTP that has no token of its own, and out. */
export function SignIn({ server }: { server: Server }) {
  const { t } = useI18n()
  const desk = useDesk()
  const [left, setLeft] = useState('') // what a sign-out left undone, in the desk's words
  const [writing, setWriting] = useState(false)
  const writes = useReturnFocus<HTMLButtonElement>(writing)
  const state = server.signIn?.state ?? 'none'
  const { busy, error, run, fail } = useAction(
    async (wish: Client | 'in' | 'out') => {
      setLeft('')
      if (wish === 'out') {
        setLeft((await desk.signOut(server.id)).error)
        return
      }
      const begun = await (wish === 'in' ? desk.signIn(server.id) : desk.signIn(server.id, wish))
      if (begun.url !== '') desk.openPage(begun.url)
    },
    { renews: ['servers'] },
  )
  const ask = async (wish: Client | 'in' | 'out') => {
    const refused = await run(wish)
    if (!refused) setWriting(false)
    return refused
  }
  const write = (on: boolean) => {
    fail(null)
    setWriting(on)
  }
  return (
    <div className={css.signIn}>
      {wanted(server).length > 0 && (
        <Button look="quiet" small disabled={busy} aria-label={t('servers.signInMoreOne', { server: server.id })} onClick={() => void ask('in')}>
          {t('servers.signInMore')}
        </Button>
      )}
      {state === 'signedIn' ? (
        <Button look="quiet" small disabled={busy} aria-label={t('servers.signOutOne', { server: server.id })} onClick={() => void ask('out')}>
          {t('servers.signOut')}
        </Button>
      ) : (
        <Button look="quiet" small disabled={busy} aria-label={t('servers.signInOne', { server: server.id })} onClick={() => void ask('in')}>
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
            sending={{ busy, error, run: ask }}
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
        {error && !(writing && fieldOfClient(error.field) !== '') && <Notice tone="deny">{errorText(t, error)}</Notice>}
      </div>
    </div>
  )
}

/** Whether a server can be signed in to: one over HTTP that sends no Authorization of its own. */
export function takesSignIn(server: Server): boolean {
  return server.transport === 'http' && !Object.keys(server.headers).some((name) => name.toLowerCase() === 'authorization')
}
