import { useState } from 'react'
import { useI18n } from '../../../i18n/i18n'
import { AgentText } from '../../../ui/agent-text'
import { Card } from './card'
import { DeclineAll } from './decline-all'
import { FloodActions } from './flood-actions'
import { FloodList } from './flood-list'
import type { InFront } from './in-front'

/** Very many calls of one agent, as one card: which tools they are for, and what to do with all of them. */
export function FloodCard({ queue, state, resting, notice, refused, expand, agentId, trusts }: InFront & { agentId: string }) {
  const { t, tx } = useI18n()
  const [asking, setAsking] = useState(false)
  const calls = state.items.filter((call) => call.agentId === agentId)
  const [first] = calls
  if (!first) return null
  const left = calls.filter((call) => state.sending.has(call.id)).length
  const close = () => {
    setAsking(false)
  }
  return (
    <Card
      queue={queue}
      resting={resting}
      notice={notice}
      refused={refused}
      expand={expand}
      title={tx(state.more ? 'queue.floodMore' : 'queue.flood', { agent: <AgentText>{first.agentName}</AgentText>, count: calls.length })}
      words={<p>{t('queue.floodWhy')}</p>}
      foot={
        <>
          {asking && (
            <DeclineAll
              count={calls.length}
              more={state.more}
              onDecline={(reason) => queue.declineAll((call) => call.agentId === agentId, reason)}
              onClose={close}
              {...(trusts ? { trusts } : {})}
            />
          )}
          {left > 0 && <p role="status">{t('queue.declining', { count: left })}</p>}
          <FloodActions queue={queue} agent={first} busy={resting || left > 0} asking={asking} onAsk={() => { setAsking(true) }} />
        </>
      }
    >
      <FloodList calls={calls} clockOffset={state.clockOffset} busy={resting || left > 0} onReview={queue.review} />
    </Card>
  )
}
