import { useRef, useState, type RefObject } from 'react'
import type { PendingCall } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { AgentLabel } from '../../../ui/agent-label'
import { AgentText } from '../../../ui/agent-text'
import { Button } from '../../../ui/button'
import { isWriting } from '../../../ui/is-writing'
import type { AgentGroup } from '../../../ui/object-list/by-agent'
import type { RowState } from '../../../ui/object-list/object-list'
import { RowHeading } from '../../../ui/object-list/row-heading'
import type { Gesture } from '../answer/arming'
import { DeclineAll } from '../cards/decline-all'
import type { PendingQueue } from '../queue/pending-queue'
import type { QueueState } from '../queue/queue-state'
import css from './drawer-list.module.css'

export interface DrawerProps {
  queue: PendingQueue
  state: QueueState
  /** The call in the dialog that this is part of. */
  shown: PendingCall
  /** Where the focus goes when what had it is no more. */
  back: RefObject<HTMLButtonElement | null>
  trusts?: (event: Gesture) => boolean
}

interface Props extends Omit<DrawerProps, 'shown'> {
  /** All of one session. */
  group: AgentGroup<PendingCall>
  row: RowState
}

/** The heading of what waits of one session, and the way to decline all of it. */
export function DrawerSession({ group, row, queue, state, back, trusts }: Props) {
  const { t, tx } = useI18n()
  const [asking, setAsking] = useState(false)
  const [busy, setBusy] = useState(false)
  const session = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const { items: calls, agentName, end } = group
  const [{ agentId, sessionId }] = calls
  const ofSession = (call: PendingCall) => call.agentId === agentId && call.sessionId === sessionId
  const left = calls.filter((call) => state.sending.has(call.id)).length
  const working = busy || left > 0 // by this session's question, or by one before
  const close = () => {
    const at = document.activeElement
    const elsewhere = isWriting(at) && session.current?.contains(at) !== true
    setAsking(false)
    if (elsewhere) return
    const to = button.current ?? back.current
    to?.focus()
  }
  const decline = async (reason: string) => {
    setBusy(true)
    const tally = await queue.declineAll(ofSession, reason)
    setBusy(false)
    return tally
  }
  return (
    <RowHeading
      state={row}
      name={<AgentLabel name={agentName} end={end} />}
      about={
        <>
          {tx('queue.session', { session: <AgentText as="path">{sessionId}</AgentText> })} · {t('queue.count', { count: calls.length })}
        </>
      }
    >
      <Button
        ref={button}
        small
        tabIndex={row.current || asking ? 0 : -1}
        aria-expanded={asking}
        aria-disabled={working}
        onClick={() => {
          if (!working) setAsking(!asking)
        }}
      >
        {t('queue.declineSession')}
      </Button>
      {(asking || left > 1) && (
        <div ref={session} className={css.asking} data-below="">
          {asking && <DeclineAll count={calls.length} more={state.more} onDecline={decline} onClose={close} {...(trusts ? { trusts } : {})} />}
          {left > 1 && <p role="status">{t('queue.declining', { count: left })}</p>}
        </div>
      )}
    </RowHeading>
  )
}
