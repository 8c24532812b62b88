import type { ClientConnected, ClientDisconnected } from '../../desk/types'
import { serverRefusal } from '../../i18n/server-refusal'
import { AgentText } from '../../ui/agent-text'
import { Notice } from '../../ui/notice'
import { useI18n } from './screen'

/** What came of connecting an app, of putting its file back, or of removing what was left over. */
export type Outcome =
  { app: string; connected: ClientConnected } | { app: string; disconnected: ClientDisconnected } | { released: ClientDisconnected }

/** Says it, and takes the focus: the button that led here may be gone. */
export function AppOutcome({ of }: { of: Outcome }) {
  return (
    <div ref={focus} tabIndex={-1}>
      <Notice tone="plain" icon="allow" role="status">
        <Words of={of} />
      </Notice>
    </div>
  )
}

function focus(notice: HTMLElement | null): void {
  notice?.focus()
}

/** Why the desk does not take a server, in its own English where we have no words for it. */
function Refusal({ reason }: { reason: string }) {
  const { tx } = useI18n()
  const known = serverRefusal(reason)
  return known ? tx(known.key, { name: <AgentText>{known.name}</AgentText> }) : <AgentText as="prose">{reason}</AgentText>
}

function Words({ of }: { of: Outcome }) {
  const { t, tx } = useI18n()
  if ('connected' in of) {
    const { app, connected } = of
    return (
      <>
        {connected.moved > 0 && <p>{t('apps.connected', { app, count: connected.moved })}</p>}
        {connected.left.map(({ key, reason }) => (
          <p key={key}>
            <AgentText>{key}</AgentText> {tx('apps.refused', { reason: <Refusal reason={reason} /> })}
          </p>
        ))}
      </>
    )
  }
  const { kept, removed } = 'released' in of ? of.released : of.disconnected
  return (
    <>
      {'released' in of ? (
        removed.length > 0 && <p>{t('apps.released', { count: removed.length })}</p>
      ) : (
        <p>{t('apps.disconnected', { app: of.app })}</p>
      )}
      {kept.map((server) => (
        <p key={server}>{tx('apps.kept', { server: <AgentText>{server}</AgentText> })}</p>
      ))}
    </>
  )
}
