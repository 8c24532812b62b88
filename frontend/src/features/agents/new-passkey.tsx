import { useLoaded } from '../../desk/queries'
import type { MadeSession } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import { Button } from '../../ui/button'
import css from './new-token.module.css'
import { useI18n } from './screen'
import { Snippet } from './snippet'
import { authenticateSnippet, sessionSnippet } from './snippets'

/** The file of the example: no shell stands between a client and the program, so that its path is whole. */
const file = '/path/to/sekisho.session'

/** A new session's passkey, this once, and how to hand it over. */
export function NewPasskey({ made: { session, passkey }, onDone }: { made: MadeSession; onDone: () => void }) {
  const { t, tx } = useI18n()
  const server = useLoaded('servers').data?.[0]?.id ?? 'SERVER'
  const agent = <AgentText>{session.agentName}</AgentText>
  return (
    <section className={css.card} aria-labelledby="new-passkey">
      <h3 className={css.title} id="new-passkey" tabIndex={-1} ref={focus}>
        {tx('sessions.passkeyTitle', { agent })}
      </h3>
      <p>{t('sessions.passkeyText')}</p>
      <Snippet label={t('sessions.passkey')} text={passkey} />
      <Snippet label={tx('sessions.passkeyFile', { file: <code>{file}</code> })} text={sessionSnippet(server, session.agentName, file)} />
      <Snippet label={t('sessions.passkeyTool')} text={authenticateSnippet(session.agentId, passkey, session.projectId ?? '')} />
      <Button className={css.done} onClick={onDone}>
        {t('common.close')}
      </Button>
    </section>
  )
}

/** The passkey came where the form was: the focus goes with it. */
function focus(heading: HTMLElement | null): void {
  heading?.focus()
}
