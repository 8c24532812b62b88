import { useId, useState } from 'react'
import { useI18n } from '../../i18n/i18n'
import { AgentText } from '../../ui/agent-text'
import { Modal } from '../../ui/modal'
import { Seal } from '../../ui/seal'
import type { InFront } from './approval-desk'
import css from './card.module.css'
import { DeclineAll } from './decline-all'
import { FloodActions } from './flood-actions'
import { FloodTools } from './flood-tools'

/** Very many calls of one agent, as one card: which tools they are for, and what to do with all of them. */
export function FloodCard({ queue, state, resting, notice, expand, agentId, trusts }: InFront & { agentId: string }) {
  const { t, tx } = useI18n()
  const id = useId()
  const [asking, setAsking] = useState(false)
  const calls = state.items.filter((call) => call.agentId === agentId)
  const [first] = calls
  if (!first) return null
  const left = calls.filter((call) => state.sending.has(call.id)).length
  const close = () => {
    setAsking(false)
  }
  return (
    <Modal
      className={css.card ?? ''}
      role="alertdialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onDismiss={() => {
        if (!resting) queue.later()
      }}
    >
      <div className={css.frame}>
        <header className={css.head}>
          <Seal />
          <h2 className={css.title} id={`${id}-title`} tabIndex={-1} data-first-focus>
            {tx(state.more ? 'queue.floodMore' : 'queue.flood', { agent: <AgentText>{first.agentName}</AgentText>, count: calls.length })}
          </h2>
          {expand}
        </header>
        <div className={css.body}>
          <p id={`${id}-text`}>{t('queue.floodWhy')}</p>
          <FloodTools calls={calls} />
        </div>
        <footer className={css.foot}>
          {asking && left === 0 && (
            <DeclineAll count={calls.length} more={state.more} onDecline={(reason) => queue.declineAll((call) => call.agentId === agentId, reason)} onClose={close} {...(trusts ? { trusts } : {})} />
          )}
          {left > 0 && <p role="status">{t('queue.declining', { count: left })}</p>}
          <FloodActions queue={queue} agent={first} busy={resting || left > 0} asking={asking} onAsk={() => { setAsking(true) }} />
          {notice}
        </footer>
      </div>
    </Modal>
  )
}
