import { useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import type { Server, ServerTest } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { AgentText } from '../../ui/agent-text'
import { Button } from '../../ui/button'
import { Notice } from '../../ui/notice'
import { FlaggedTools } from './flagged-tools'
import { useI18n } from './screen'
import css from './try-server.module.css'

interface Props {
  /** The server as it is now; null when it is not complete. */
  server: () => Server | null
  label: string
}

/** Starts the server once, asks which tools it offers, and ends it. Nothing is saved, no tool is called. */
export function TryServer({ server, label }: Props) {
  const { t } = useI18n()
  const desk = useDesk()
  const [seen, setSeen] = useState<(ServerTest & { server: string }) | null>(null)
  const { busy, error, run } = useAction(async (made: Server) => {
    setSeen(null)
    setSeen({ ...(await desk.testServer(made)), server: made.id })
  })
  const tryIt = () => {
    const made = server()
    if (made) void run(made)
  }
  return (
    <div className={css.try}>
      <Button look="quiet" small disabled={busy} aria-label={label} onClick={tryIt}>
        {t('servers.test')}
      </Button>
      <div role="status" className={css.seen}>
        {busy && t('servers.testing')}
        {seen?.ok && <Found tools={seen.tools} />}
        {seen && !seen.ok && <Failed test={seen} />}
        {seen && <FlaggedTools server={seen.server} tools={seen.flaggedTools ?? []} />}
        {error && <Notice tone="deny">{errorText(t, error)}</Notice>}
      </div>
    </div>
  )
}

function Found({ tools }: { tools: readonly string[] }) {
  const { t } = useI18n()
  return (
    <Notice tone="plain" icon="allow">
      <p>{t('servers.testOk', { count: tools.length })}</p>
      <p className={css.tools}>
        {tools.map((tool) => (
          <AgentText key={tool}>{tool}</AgentText>
        ))}
      </p>
    </Notice>
  )
}

/** Why it failed, and the last that the server said on its error output. */
function Failed({ test }: { test: ServerTest }) {
  const { t } = useI18n()
  return (
    <Notice tone="deny">
      <p>{t('servers.testFailed')}</p>
      <p>
        <AgentText as="prose">{test.error}</AgentText>
      </p>
      {test.stderr !== '' && (
        <p className={css.stderr}>
          <AgentText as="path">{test.stderr}</AgentText>
        </p>
      )}
    </Notice>
  )
}
