import type { PendingCall } from '../../desk/types'
import { useI18n } from '../../i18n/i18n'
import { AgentText } from '../../ui/agent-text'
import { Notice } from '../../ui/notice'
import css from './approval-dialog.module.css'
import { NameWarnings } from './name-warnings'
import { RiskBadge } from './risk-badge'

/** How careful to be, and what is not as it looks. It describes the dialog by its id. */
export function CallWarnings({ call, id }: { call: PendingCall; id: string }) {
  const { t, tx } = useI18n()
  return (
    <div id={id} className={css.warnings}>
      <p className={css.warning}>
        <RiskBadge risk={call.risk} reasons={call.riskReasons} />
        <span>{t('approval.warning')}</span>
      </p>
      {call.risk === 'high' && call.riskReasons.length > 0 && (
        <Notice tone="care" icon="high">
          {tx('approval.riskWhy', { reasons: <AgentText as="prose">{call.riskReasons.join('; ')}</AgentText> })}
        </Notice>
      )}
      {call.callerGone && (
        <Notice tone="care" icon="clock">
          {t('approval.gone')}
        </Notice>
      )}
      <NameWarnings names={[call.toolName, call.serverId ?? '', call.agentName]} />
    </div>
  )
}
