import { useDesk } from '../../desk/desk-context'
import type { Agent } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Select } from '../../ui/select'
import { useI18n } from './screen'

/** What an agent is without a session: a coordinator, who may start sessions of others, or nothing. */
export function AgentRole({ agent }: { agent: Agent }) {
  const { t } = useI18n()
  const desk = useDesk()
  const { asked, error, run } = useAction(async (on: boolean) => (await desk.roles()).setCoordinator(agent.id, on), { renews: ['agents'] })
  const is = asked ? asked[0] : agent.role === 'coordinator'
  return (
    <>
      <Select
        label={t('agents.roleOne', { agent: agent.name })}
        place="hidden"
        small
        value={is ? 'coordinator' : 'none'}
        options={[['none', t('agents.roleNone')], ['coordinator', t('agents.roleCoordinator')]]}
        onChange={(role) => void run(role === 'coordinator')}
      />
      <Alert>{error && errorText(t, error)}</Alert>
    </>
  )
}
