import { useEffect, useRef } from 'react'
import type { ClientConnected, ClientDisconnected } from '../../desk/types'
import { useI18n } from '../../i18n/i18n'
import { AgentText } from '../../ui/agent-text'
import { Notice } from '../../ui/notice'

/** What came of connecting an app, or of putting its file back. */
export type Outcome = { app: string } & ({ connected: ClientConnected } | { disconnected: ClientDisconnected })

/** Says it, and takes the focus: the button that led here may be gone. */
export function AppOutcome({ of }: { of: Outcome }) {
  const { t, tx } = useI18n()
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    ref.current?.focus()
  }, [of])
  const { app } = of
  return (
    <div ref={ref} tabIndex={-1}>
      <Notice tone="plain" icon="allow" role="status">
        {'connected' in of ? (
          <>
            {of.connected.moved > 0 && <p>{t('apps.connected', { app, count: of.connected.moved })}</p>}
            {of.connected.left.map(({ key, reason }) => (
              <p key={key}>
                <AgentText>{key}</AgentText> {tx('apps.refused', { reason: <AgentText as="prose">{reason}</AgentText> })}
              </p>
            ))}
          </>
        ) : (
          <>
            <p>{t('apps.disconnected', { app })}</p>
            {of.disconnected.kept.map((server) => (
              <p key={server}>{tx('apps.kept', { server: <AgentText>{server}</AgentText> })}</p>
            ))}
          </>
        )}
      </Notice>
    </div>
  )
}
