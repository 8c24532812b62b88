import type { PendingCall, RiskReason } from '../../../desk/types'
import { useCoded } from '../../../i18n/coded'
import { useCodeWords } from '../../../i18n/use-code-words'
import { AgentText } from '../../../ui/agent-text'
import { Notice } from '../../../ui/notice'
import css from './approval-dialog.module.css'
import { NameWarnings } from './name-warnings'
import { RiskBadge } from './risk-badge'

/** How careful to be and why, and what is not as it looks. It describes the dialog by its id. */
export function CallWarnings({ call, id }: { call: PendingCall; id: string }) {
  const { t, coded } = useCoded()
  const words = useCodeWords('riskReason')
  const { risk, riskReasons } = call
  return (
    <div id={id} className={css.warnings}>
      <div className={css.risk} data-risk={risk}>
        <RiskBadge risk={risk} reasons={riskReasons} />
        <div className={css.riskWhy}>
          {riskReasons.length > 0 && (
            <ul>
              {alike(riskReasons).map((reason, i) => (
                <li key={i}>
                  {i > 0 && <span className="visually-hidden">; </span>}
                  {words.shown(reason, (text) => <AgentText>{text}</AgentText>)}
                </li>
              ))}
            </ul>
          )}
          {risk === 'low' && riskReasons.length === 0 && <p>{coded && t('approval.low')}</p>}
          {(risk === 'high' || (risk === 'medium' && riskReasons.length === 0)) && <p className={css.soft}>{t('approval.warning')}</p>}
        </div>
      </div>
      {call.callerGone && (
        <Notice tone="care" icon="clock">
          {t('approval.gone')}
        </Notice>
      )}
      <NameWarnings names={[call.toolName, call.serverId ?? '', call.agentSubagent ?? '']} agent={call.agentName} paths={[call.cwd ?? '']} />
    </div>
  )
}

/** Reasons, each once: several words of one name that say the same are told together. */
function alike(reasons: readonly RiskReason[]): RiskReason[] {
  const told: RiskReason[] = []
  for (const reason of reasons) {
    const { verb } = reason.params
    const before = told.findIndex(({ code, params }) => code === reason.code && params.verb !== undefined)
    const first = told[before]
    if (first === undefined || verb === undefined) told.push(reason)
    else told[before] = { ...first, params: { ...first.params, verb: `${String(first.params.verb)}, ${String(verb)}` } }
  }
  return told
}
