import type { KeyboardEvent } from 'react'
import type { Call } from '../../desk/types'
import { useI18n } from '../../i18n/i18n'
import { Button } from '../../ui/button'
import { LateComponent } from '../../ui/late-component'
// Before the style sheets of what stands in a modal: where both give a width, the later one counts.
import '../../ui/modal.module.css'
import type { Gesture } from './answer/arming'
import { dropRepeats } from './answer/keys'
import css from './approval-desk.module.css'
import type { InFront } from './cards/in-front'
import { SettledCard } from './cards/settled-card'
import type { DialogProps } from './dialog/approval-dialog'
import { QueueDrawer } from './drawer/queue-drawer'
import { Late } from './late'
import { PassingNotice } from './queue/passing-notice'
import type { PendingQueue } from './queue/pending-queue'
import type { QueueState } from './queue/queue-state'
import { RefusalNotice } from './queue/refusal-notice'
import { twinsOf } from './queue/twins'

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
  const common = {
    queue,
    state,
    resting,
    notice: notice && told(true),
    refused: refusals.length > 0 && refused(true),
    expand,
    ...(trusts ? { trusts } : {}),
  }
  const onKey = (event: KeyboardEvent) => {
    queue.touch()
    dropRepeats(event)
  }
  return (
    <>
      <div className={css.front} onPointerDownCapture={queue.touch} onKeyDownCapture={onKey}>
        {front?.kind === 'call' && <CallInFront {...common} id={front.id} />}
        {front?.kind === 'flood' && <Late key={front.agentId} part={floodCard} props={{ ...common, agentId: front.agentId }} />}
        {front?.kind === 'worn' && <Late key={front.key} part={wornCard} props={{ ...common, toolKey: front.key }} />}
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
    <Late
      key={`${call.id} ${call.inputHash}`}
      part={approvalDialog}
      props={{
        call,
        clockOffset: state.clockOffset,
        position: position + 1,
        total: state.items.length,
        drawer,
        identical: twinsOf(call, state.items).map((twin) => twin.id),
        notice,
        refused,
        onAnswer: (verdict, beside) => queue.answer(call, verdict, beside),
        onLater: queue.later,
        ...(rest.trusts ? { trusts: rest.trusts } : {}),
      }}
    />
  )
}

/** It comes right after the first screen, which shows that something waits. */
const approvalDialog = new LateComponent<DialogProps>(() => import('./dialog/approval-dialog').then(({ ApprovalDialog }) => ApprovalDialog))

/** A call in doubt comes after all that wait; for the others many calls have to wait, or a person to have declined before. */
const doubtCard = new LateComponent<InFront & { call: Call }>(() => import('./cards/doubt-card').then(({ DoubtCard }) => DoubtCard))
const floodCard = new LateComponent<InFront & { agentId: string }>(() => import('./cards/flood-card').then(({ FloodCard }) => FloodCard))
const wornCard = new LateComponent<InFront & { toolKey: string }>(() => import('./cards/worn-card').then(({ WornCard }) => WornCard))

function DoubtInFront({ id, ...rest }: InFront & { id: string }) {
  const call = rest.state.doubts.find((doubt) => doubt.id === id)
  return call ? <Late key={call.id} part={doubtCard} props={{ ...rest, call }} /> : null
}

function ExpandButton({ onExpand }: { onExpand: () => void }) {
  const { t } = useI18n()
  return (
    <Button small onClick={onExpand}>
      {t('compact.open')}
    </Button>
  )
}
