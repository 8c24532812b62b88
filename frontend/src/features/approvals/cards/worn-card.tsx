import { useState } from 'react'
import { useI18n } from '../../../i18n/i18n'
import { AgentText } from '../../../ui/agent-text'
import { Button } from '../../../ui/button'
import { useReturnFocus } from '../../../ui/use-return-focus'
import { isAnswer } from '../answer/arming'
import { wornKey } from '../queue/worn'
import { Card } from './card'
import css from './card.module.css'
import { DeclineAll } from './decline-all'
import { FloodList } from './flood-list'
import type { InFront } from './in-front'

/**
 * Calls of a tool that the person declined again and again, as one card: it asks once, and its first
 * offer is to be asked no more for a while.
 */
export function WornCard({ queue, state, resting, notice, refused, expand, toolKey, trusts }: InFront & { toolKey: string }) {
  const { t, tx } = useI18n()
  const [asking, setAsking] = useState(false)
  const [working, setWorking] = useState(false)
  const decline = useReturnFocus<HTMLButtonElement>(asking)
  const calls = state.items.filter((call) => wornKey(call) === toolKey)
  const [first] = calls
  if (!first) return null
  const kind = calls.some((call) => call.class !== null)
  const busy = resting || working || calls.some((call) => state.sending.has(call.id))
  const names = { tool: <AgentText>{first.toolName}</AgentText>, agent: <AgentText>{first.agentName}</AgentText> }
  const declineKind = async () => {
    setWorking(true)
    await queue.declineKind(toolKey)
    setWorking(false)
  }
  return (
    <Card
      queue={queue}
      resting={resting}
      notice={notice}
      refused={refused}
      expand={expand}
      title={tx('queue.worn', { ...names, count: state.worn.get(toolKey) ?? 0 })}
      words={<p>{tx(state.more ? 'queue.wornMore' : 'queue.wornWhy', { ...names, count: calls.length })}</p>}
      foot={
        <>
          {asking && (
            <DeclineAll
              count={calls.length}
              more={state.more}
              onDecline={(reason) => queue.declineAll((call) => wornKey(call) === toolKey, reason)}
              onClose={() => {
                setAsking(false)
              }}
              {...(trusts ? { trusts } : {})}
            />
          )}
          <div className={css.answers} hidden={asking}>
            {kind && (
              <Button
                look="strong"
                disabled={busy}
                title={t('queue.wornKindHint')}
                onClick={(e) => {
                  if (isAnswer(e.nativeEvent, trusts)) void declineKind()
                }}
              >
                {t('queue.wornKind')}
              </Button>
            )}
            <Button ref={decline} disabled={busy} aria-expanded={asking} onClick={() => { setAsking(true) }}>
              {t('queue.declineThem')}
            </Button>
            <Button
              disabled={busy}
              onClick={() => {
                queue.singly(toolKey)
              }}
            >
              {t('queue.oneByOne')}
            </Button>
            <Button look="quiet" title={t('approval.laterHint')} disabled={busy} onClick={queue.later}>
              {t('approval.later')}
            </Button>
          </div>
          {kind && (
            <p className={css.hint} hidden={asking}>
              {t('queue.wornKindHint')}
            </p>
          )}
        </>
      }
    >
      <FloodList calls={calls} clockOffset={state.clockOffset} busy={busy} onReview={queue.review} />
    </Card>
  )
}
