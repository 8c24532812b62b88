import { useLoaded } from '../../desk/queries'
import { AgentText } from '../../ui/agent-text'
import { Notice } from '../../ui/notice'
import { useI18n } from './screen'

/** Says where the secrets of servers are, and when they are not at hand. */
export function SecretsNote() {
  const { tx } = useI18n()
  const { data } = useLoaded('secrets')
  if (!data) return null
  if (data.trouble !== '') {
    return (
      <Notice tone="deny" role="alert">
        {tx('servers.secretsTrouble', { why: <AgentText as="prose">{data.trouble}</AgentText> })}
      </Notice>
    )
  }
  if (data.where === '') return null
  return <Notice tone="plain">{tx('servers.secretsIn', { path: <AgentText as="path">{data.where}</AgentText> })}</Notice>
}
