import { useState } from 'react'
import { useLoaded } from '../../desk/queries'
import type { NewAgent } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import { Button } from '../../ui/button'
import { Select } from '../../ui/select'
import css from './new-token.module.css'
import { useI18n } from './screen'
import { Snippet } from './snippet'
import { httpSnippet, stdioSnippet } from './snippets'

/** A new agent's token, this once, and how to hand it over. */
export function NewToken({ made, onDone }: { made: NewAgent; onDone: () => void }) {
  const { t, tx } = useI18n()
  const servers = (useLoaded('servers').data ?? []).map(({ id }) => id)
  const url = useLoaded('info').data?.agentsUrl ?? ''
  const [chosen, setChosen] = useState<string | null>(null)
  const server = chosen ?? servers[0] ?? 'SERVER'
  const file = <code>{made.tokenFile || `~/.config/sekisho/agents/${made.agent.name}.token`}</code>
  return (
    <section className={css.card} aria-labelledby="new-token">
      <h2 className={css.title} id="new-token" tabIndex={-1} ref={focus}>
        {tx('agents.tokenTitle', { agent: <AgentText>{made.agent.name}</AgentText> })}
      </h2>
      <p>{t('agents.tokenText')}</p>
      <Snippet label={t('agents.token')} text={made.token} />
      {servers.length > 1 && (
        <Select
          place="beside"
          label={t('agents.snippetServer')}
          value={server}
          options={servers.map((id) => [id, id])}
          onChange={setChosen}
        />
      )}
      <Snippet
        label={tx(made.tokenFile ? 'agents.snippetKept' : 'agents.snippetStdio', { file })}
        text={stdioSnippet(server, made.agent.name)}
      />
      <Snippet label={t('agents.snippetHttp')} text={httpSnippet(url, server, made.token)} />
      <p>{t('agents.snippetHttpUnproved')}</p>
      <Button className={css.done} onClick={onDone}>
        {t('common.close')}
      </Button>
    </section>
  )
}

/** The token came where the form was: the focus goes with it. */
function focus(heading: HTMLElement | null): void {
  heading?.focus()
}
