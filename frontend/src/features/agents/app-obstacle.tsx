import type { ClientObstacle } from '../../desk/types'
import { isKey } from '../../i18n/words'
import { AgentText } from '../../ui/agent-text'
import { useI18n } from './screen'
import type { words } from './words/en'

/**
 * Why an entry stays as it is, or it or its file is not put back, in the person's language; the desk's
 * own English where we have no words for it.
 */
export function AppObstacle({ of: { why, reason } }: { of: { why: ClientObstacle | null; reason: string } }) {
  const { tx } = useI18n()
  const key = `apps.why.${why?.code ?? ''}`
  if (!why || !isKey<keyof typeof words>(key)) return <AgentText as="prose">{reason}</AgentText>
  return tx(key, {
    field: <AgentText>{why.field}</AgentText>,
    name: <AgentText>{why.name}</AgentText>,
    value: <AgentText as="path">{why.value}</AgentText>,
  })
}
