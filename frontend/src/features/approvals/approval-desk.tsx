import type { KeyboardEvent, ReactNode } from 'react'
import { useI18n } from '../../i18n/i18n'
import { Button } from '../../ui/button'
import css from './approval-desk.module.css'
import { ApprovalDialog } from './approval-dialog'
import type { Gesture } from './arming'
import { DoubtCard } from './doubt-card'
import { FloodCard } from './flood-card'
import { dropRepeats } from './keys'
import { PassingNotice } from './passing-notice'
import type { PendingQueue } from './pending-queue'
import { QueueDrawer } from './queue-drawer'
import type { QueueState } from './queue-state'
import { RefusalNotice } from './refusal-notice'
import { SettledCard } from './settled-card'
import { twinsOf } from './twins'
import { WornCard } from './worn-card'

interface Props {
  queue: PendingQueue
  state: QueueState
  /** Makes the whole desk of a small window; null where it is the whole desk. */
  onExpand?: (() => void) | null
  trusts?: (event: Gesture) => boolean
}

/** The one thing that is in front of the person, and the word about the one before. */
export function ApprovalDesk({ queue, state, onExpand = null, trusts }: Props) {
  const { front, notice, refusals, restUntil } = state
  const resting = restUntil !== null
  const told = (inside: boolean) => <PassingNotice notice={notice} inside={inside} onDone={queue.dismissNotice} />
  const refused = (inside: boolean) => <RefusalNotice refusals={refusals} inside={inside} onClose={queue.closeRefusal} />
  const expand = onExpand && <ExpandButton onExpand={onExpand} />
  const common = { queue, state, resting, notice: notice && told(true), refused: refusals.length > 0 && refused(true), expand, ...(trusts ? { trusts } : {}) }
  const onKey = (event: KeyboardEvent) => {
    queue.touch()
    dropRepeats(event)
  }
  return (
    <>
      <div className={css.front} onPointerDownCapture={queue.touch} onKeyDownCapture={onKey}>
        {front?.kind === 'call' && <CallInFront {...common} id={front.id} />}
        {front?.kind === 'flood' && <FloodCard key={front.agentId} {...common} agentId={front.agentId} />}
        {front?.kind === 'worn' && <WornCard key={front.key} {...common} toolKey={front.key} />}
        {front?.kind === 'doubt' && <DoubtInFront {...common} id={front.id} />}
        {!front && resting && notice && <SettledCard notice={notice} />}
      </div>
      {!front && !resting && (
        <div className={css.region}>
          {told(false)}
          {refused(false)}
        </div>
      )}
    </>
  )
}

/** What all that can be in front has in common. */
export interface InFront {
  queue: PendingQueue
  state: QueueState
  /** Nothing can be pressed for the moment. */
  resting: boolean
  notice: ReactNode
  /** What did not count, and was not closed. */
  refused: ReactNode
  expand: ReactNode
  trusts?: (event: Gesture) => boolean
}

function CallInFront({ queue, state, notice, refused, expand, id, ...rest }: InFront & { id: string }) {
  const position = state.items.findIndex((item) => item.id === id)
  const call = state.items[position]
  if (!call) return null
  const drawer = (frozen: boolean) => (
    <>
      {expand}
      <QueueDrawer queue={queue} state={state} shown={call} frozen={frozen} {...(rest.trusts ? { trusts: rest.trusts } : {})} />
    </>
  )
  return (
    <ApprovalDialog
      key={`${call.id} ${call.inputHash}`}
      call={call}
      clockOffset={state.clockOffset}
      position={position + 1}
      total={state.items.length}
      drawer={drawer}
      identical={twinsOf(call, state.items).map((twin) => twin.id)}
      notice={notice}
      refused={refused}
      onAnswer={(verdict, beside) => queue.answer(call, verdict, beside)}
      onLater={queue.later}
      {...(rest.trusts ? { trusts: rest.trusts } : {})}
    />
  )
}

function DoubtInFront({ id, ...rest }: InFront & { id: string }) {
  const call = rest.state.doubts.find((doubt) => doubt.id === id)
  return call ? <DoubtCard key={call.id} {...rest} call={call} /> : null
}

function ExpandButton({ onExpand }: { onExpand: () => void }) {
  const { t } = useI18n()
  return (
    <Button small onClick={onExpand}>
      {t('compact.open')}
    </Button>
  )
}
