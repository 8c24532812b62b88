import { memo } from 'react'
import type { Call } from '../../desk/types'
import { Age } from '../../i18n/age'
import { wordFor } from '../../i18n/error-text'
import { methodWord } from '../../i18n/method-word'
import { useActSentence } from '../../i18n/use-act-sentence'
import { When } from '../../i18n/when'
import { AgentText } from '../../ui/agent-text'
import { AskerText } from '../../ui/asker-text'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import type { RowState } from '../../ui/object-list/object-list'
import { ObjectRow } from '../../ui/object-list/object-row'
import { quoteCut } from '../../ui/quote'
import { CallCaller } from './call-caller'
import { CallOutcome } from './call-outcome'
import { CallParts } from './call-parts'
import { CallPlace } from './call-place'
import type { Fold } from './fold'
import { InDoubt } from './in-doubt'
import { Latency } from './latency'
import { lookOf } from './looks'
import { OlderReadings } from './older-readings'
import { RowInput } from './row-input'
import { useI18n } from './screen'

interface Props {
  fold: Fold
  state: RowState
  /** A call as the desk has it now. */
  onKnown: (call: Call) => void
}

/** A call, or readings that are alike: what, by whom, what became of it and why. The input is loaded when it is asked for. */
export const ActivityRow = memo(function ActivityRow({ fold: { newest: call, older }, state, onKnown }: Props) {
  const { t, tx } = useI18n()
  const [icon, tone] = lookOf(call.status)
  const { act } = useActSentence(quoteCut)
  const oldest = older.at(-1)
  const names = { agent: <AskerText of={call} />, server: <AgentText>{call.serverId ?? ''}</AgentText> }
  return (
    <ObjectRow
      state={state}
      sentence={
        <>
          {call.method !== 'tools/call' && <Badge icon="any">{methodWord(t, call.method)}</Badge>} {act(call)}
        </>
      }
      facts={
        <>
          <CallPlace call={call} />
          <CallCaller call={call} />
          <CallOutcome call={call} />
          {call.why.parts && <CallParts parts={call.why.parts} />}
          <InDoubt call={call} onKnown={onKnown} />
          {oldest && (
            <span>
              {t('activity.readBefore', { count: older.length })} {tx('activity.readSince', { time: <When at={oldest.createdAt} /> })}
            </span>
          )}
        </>
      }
      status={
        <Badge icon={icon} tone={tone}>
          {call.handedOver ? tx('activity.handedOver', names) : wordFor(t, 'status', call.status)}
        </Badge>
      }
      age={
        <>
          <Age at={call.createdAt} />
          <When at={call.createdAt} />
          <Latency call={call} />
        </>
      }
      actions={
        <>
          <Button small aria-expanded={state.expanded} onClick={state.toggle}>
            {t('activity.showInput')}
          </Button>
          <a href={`#/rules?test=${encodeURIComponent(call.id)}`} aria-label={t('activity.whyOne', { tool: call.toolName })}>
            {t('activity.why')}
          </a>
        </>
      }
      below={
        <>
          <RowInput call={call} />
          <OlderReadings calls={older} />
        </>
      }
    />
  )
}, isSame)

/** A list makes its rows anew for whatever happened: what is drawn of one is of its calls. */
function isSame(before: Props, now: Props): boolean {
  const { fold, state, onKnown } = before
  const sameCalls = fold.newest === now.fold.newest && fold.older === now.fold.older
  return sameCalls && state.current === now.state.current && state.expanded === now.state.expanded && onKnown === now.onKnown
}
