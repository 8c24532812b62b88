import type { PendingCall } from '../../desk/types'
import { useI18n } from '../../i18n/i18n'
import { AgentText } from '../../ui/agent-text'
import css from './approval-dialog.module.css'
import { Fact } from './fact'
import { WhyAsked } from './why-asked'

/** Why a person is asked, and where the call comes from. The reason describes the dialog by its id. */
export function CallBackground({ call, whyId }: { call: PendingCall; whyId: string }) {
  const { t } = useI18n()
  return (
    <>
      <dl className={css.background}>
        <Fact label={t('approval.why')} id={whyId}>
          <WhyAsked call={call} />
        </Fact>
        {call.description !== '' && (
          <Fact label={t('approval.description')}>
            <AgentText as="prose">{call.description}</AgentText>
          </Fact>
        )}
      </dl>
      <dl className={css.origin}>
        <Fact label={t('approval.session')}>
          <AgentText as="path">{call.sessionId}</AgentText>
        </Fact>
        {call.runId !== call.sessionId && (
          <Fact label={t('approval.run')}>
            <AgentText as="path">{call.runId}</AgentText>
          </Fact>
        )}
      </dl>
    </>
  )
}
