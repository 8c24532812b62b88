import { useId, useRef, useState, type KeyboardEvent } from 'react'
import type { PendingCall } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { Button } from '../../../ui/button'
import { Icon } from '../../../ui/icon'
import type { Gesture } from '../answer/arming'
import { isEscape } from '../answer/keys'
import { grouped } from '../queue/grouped'
import type { PendingQueue } from '../queue/pending-queue'
import type { QueueState } from '../queue/queue-state'
import { DrawerAgent } from './drawer-agent'
import css from './queue-drawer.module.css'

interface Props {
  queue: PendingQueue
  state: QueueState
  /** The call in the dialog that this is part of. */
  shown: PendingCall
  /** An answer is given: nothing else comes to the front before it is sent. */
  frozen: boolean
  trusts?: (event: Gesture) => boolean
}

/** All that waits, behind a button in the head of the dialog: within it, so that the focus stays inside. */
export function QueueDrawer({ queue, state, shown, frozen, trusts }: Props) {
  const { t } = useI18n()
  const id = useId()
  const [open, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const onKeyDown = (event: KeyboardEvent) => {
    // Whoever looks through the list is not saying yes to what is behind it.
    if (event.key === 'Enter') event.stopPropagation()
    if (!open || !isEscape(event)) return
    setOpen(false)
    button.current?.focus()
  }
  if (state.items.length < 2) return null
  const agents = grouped(state.items, (call) => call.agentId)
  return (
    <>
      <Button
        ref={button}
        small
        aria-expanded={open}
        aria-controls={id}
        disabled={frozen}
        onKeyDown={onKeyDown}
        onClick={() => {
          setOpen(!open)
        }}
      >
        <Icon name="list" /> {t('queue.all')}
      </Button>
      {open && (
        <section className={css.panel} id={id} hidden={frozen} aria-label={t('queue.list')} onKeyDown={onKeyDown}>
          {state.more && <p className={css.more}>{t('queue.limit', { count: state.items.length })}</p>}
          {[...agents.values()].map((calls) => (
            <DrawerAgent
              key={calls[0].agentId}
              calls={calls}
              queue={queue}
              state={state}
              shown={shown}
              back={button}
              {...(trusts ? { trusts } : {})}
            />
          ))}
        </section>
      )}
    </>
  )
}
