import { useDesk } from '../../desk/desk-context'
import type { Server, SignIn } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import { Notice } from '../../ui/notice'
import { useI18n } from './screen'

/** How far it is. */
export function SignInState({ server }: { server: Server }) {
  const { t, tx } = useI18n()
  const desk = useDesk()
  const at = server.signIn
  if (!at || at.state === 'none') return null
  const issuer = <AgentText as="path">{at.issuer}</AgentText>
  if (at.state === 'signedIn') return <SignedIn server={server} at={at} />
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

/** What there is to say of a sign-in that is good. */
function SignedIn({ server, at }: { server: Server; at: SignIn }) {
  const { tx } = useI18n()
  const wants = wanted(server)
  return (
    <>
      {tx('servers.signedIn', { issuer: <AgentText as="path">{at.issuer}</AgentText> })}
      {wants.length > 0 && (
        <Notice tone="care">{tx('servers.signInWants', { scopes: <AgentText as="path">{wants.join(' ')}</AgentText> })}</Notice>
      )}
      {at.error !== '' && <Says words={at.error} />}
    </>
  )
}

/** What went wrong, in the desk's words. */
export function Says({ words }: { words: string }) {
  const { t } = useI18n()
  return (
    <Notice tone="deny">
      <p>{t('servers.signInSays')}</p>
      <p>
        <AgentText as="prose">{words}</AgentText>
      </p>
    </Notice>
  )
}

/** The scopes that a signed-in server asked for beyond those of its sign-in. */
export function wanted({ signIn }: Server): string[] {
  return signIn?.state === 'signedIn' ? signIn.wants : []
}
