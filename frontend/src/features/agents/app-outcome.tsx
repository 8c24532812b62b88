import type { DeskError } from '../../desk/desk-error'
import type { ClientConnected, ClientDisconnected, ClientProof } from '../../desk/types'
import { errorText, faultParams } from '../../i18n/error-text'
import { useCodeWords } from '../../i18n/use-code-words'
import { AgentText } from '../../ui/agent-text'
import { Notice } from '../../ui/notice'
import { AppProofs } from './app-proofs'
import { useI18n } from './screen'

/** What came of connecting files of an app. */
export interface Connected {
  connected: ClientConnected
  /** Null where they were not to be had. */
  proofs: readonly ClientProof[] | null
  /** Why not all files were written; null where they were. */
  rest: DeskError | null
}

/** What came of connecting an app, of putting its file back, or of removing what was left over. */
export type Outcome = (Connected & { app: string }) | { app: string; disconnected: ClientDisconnected } | { released: ClientDisconnected }

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

function Words({ of }: { of: Outcome }) {
  const { t, tx } = useI18n()
  const words = useCodeWords('field')
  if ('connected' in of) {
    const { app, connected, proofs, rest } = of
    return (
      <>
        {connected.moved > 0 && <p>{t('apps.connected', { app, count: connected.moved })}</p>}
        {proofs === null ? <p>{t('apps.unproved')}</p> : proofs.length > 0 && <AppProofs of={proofs} />}
        {connected.hooks && <p>{t('apps.connectedHooks', { app })}</p>}
        {rest && <p>{rest.code === 'stale' ? t('apps.partlyStale', { app }) : t('apps.partly', { app, reason: errorText(t, rest) })}</p>}
        {connected.left.map(({ key, reason, ...fault }) => (
          <p key={key}>
            <AgentText>{key}</AgentText> {tx('apps.refused', { reason: words.shown({ code: fault.code, params: faultParams(fault), text: reason }, (text) => <AgentText as="prose">{text}</AgentText>) })}
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
