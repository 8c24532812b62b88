import type { PendingCall } from '../../../desk/types'
import { Age } from '../../../i18n/age'
import { useI18n } from '../../../i18n/i18n'
import { isNamed, useActSentence } from '../../../i18n/use-act-sentence'
import { AgentText } from '../../../ui/agent-text'
import { Button } from '../../../ui/button'
import { CutText } from '../../../ui/cut-text'
import type { RowState } from '../../../ui/object-list/object-list'
import { ObjectRow } from '../../../ui/object-list/object-row'
import { quoteCut } from '../../../ui/quote'
import { clockText, useTimeLeft } from '../../../ui/use-time-left'
import { RiskBadge } from '../dialog/risk-badge'
import css from './waiting-row.module.css'

interface Props {
  call: PendingCall
  state: RowState
  clockOffset: number
  /** It is the one in the dialog. */
  shown?: boolean
  /** Nothing can be pressed for the moment. */
  busy?: boolean
  onReview: (id: string) => void
}

/** A call that waits, in a list: what is wanted of what object, since when, and how long it waits still. */
export function WaitingRow({ call, state, clockOffset, shown = false, busy = false, onReview }: Props) {
  const { t } = useI18n()
  const { act } = useActSentence(quoteCut)
  return (
    <ObjectRow
      state={state}
      sentence={act(call)}
      facts={
        <>
          {!isNamed(call) && <CutText>{call.toolName}</CutText>}
          <span>{call.serverId === null ? t('queue.ownTool') : <AgentText>{call.serverId}</AgentText>}</span>
          {call.agentSubagent !== null && (
            <span>
              {'› '}
              <AgentText>{call.agentSubagent}</AgentText>
            </span>
          )}
          {call.cwd !== null && call.cwd !== '' && <CutText as="path">{call.cwd}</CutText>}
          {shown && <span>{t('queue.shown')}</span>}
        </>
      }
      status={<RiskBadge risk={call.risk} reasons={call.riskReasons} />}
      age={
        <>
          <Age at={call.createdAt} ahead={clockOffset} />
          <TimeLeft until={call.expiresAt} clockOffset={clockOffset} />
        </>
      }
      actions={
        <Button
          small
          disabled={busy}
          aria-label={t('waiting.reviewOne', { tool: call.toolName })}
          onClick={() => {
            onReview(call.id)
          }}
        >
          {t('waiting.review')}
        </Button>
      }
    />
  )
}

/** By itself, as it is drawn anew each second. */
function TimeLeft({ until, clockOffset }: { until: string | null; clockOffset: number }) {
  const { t } = useI18n()
  const left = useTimeLeft(until, clockOffset)
  return <span className={css.left}>{left === null ? t('queue.noLimit') : t('waiting.left', { time: clockText(left) })}</span>
}
