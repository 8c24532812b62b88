import { useState } from 'react'
import { useDesk } from '../../../desk/desk-context'
import { DeskError } from '../../../desk/desk-error'
import { useLive } from '../../../desk/live'
import type { PendingCall } from '../../../desk/types'
import { useComposer, type Composer } from '../composer/use-composer'
import { checkEdit } from '../shapes/check-edit'
import { answerFields, answersIn, dataOf, lacksAnswer } from './answer-fields'
import { isAnswer, type Gesture } from './arming'
import { dataReadable, no, yes, type Draft } from './draft'
import { onlyThis, scopesFor } from './reach'
import { useArming, type Arming } from './use-arming'
import { useDraft } from './use-draft'
import { useHeld } from './use-held'
import { useSending, type Failure, type Given, type OnAnswer } from './use-sending'
import { useView, type Unseen, type View } from './use-view'

/** What is on: the call itself, a rule being made for it, or the second word on a yes to the whole session. */
export type Step = 'call' | 'always' | 'everything'

/** Why there is no approving, beside the arming: edit, data: what is written is not good JSON; answer: a question has none; rule: it was not shown yet. */
export type Hindrance = Unseen | 'edit' | 'data' | 'answer' | 'rule'

export interface ApprovalOptions {
  call: PendingCall
  /** By how many milliseconds the desk's clock is ahead of this machine's. */
  clockOffset?: number
  /** The other waiting calls that ask for the same (twinsOf). */
  identical?: readonly string[]
  onAnswer: OnAnswer
  onLater: () => void
  /** Whether an event is a person's own; tests replace it, because theirs are not. */
  trusts?: (event: Gesture) => boolean
}

export interface Approval {
  call: PendingCall
  view: View
  arming: Arming
  composer: Composer
  hindrance: Hindrance | null
  step: Step
  go: (step: Step) => void
  draft: Draft
  change: (part: Partial<Draft>) => void
  busy: boolean
  /** When the yes that was given is sent; null while there is none. */
  undoUntil: string | null
  failure: Failure | null
  press: (event: Gesture, approved: boolean) => void
  trusts: ApprovalOptions['trusts']
  extend: () => Promise<void>
  undo: () => void
  /** Escape: one step back, and at the beginning "later". */
  dismiss: () => void
}

/** Seconds to undo while the settings are not known. */
const usualUndo = 3

/** What one click adds to a deadline. */
export const extendSeconds = 300

/** One call being answered: what is in view, what is written, what may be pressed, and what is on its way. */
export function useApproval({ call, clockOffset = 0, identical = [], onAnswer, onLater, trusts }: ApprovalOptions): Approval {
  const desk = useDesk()
  const settings = useLive('settings').data
  const view = useView(call, clockOffset)
  const [step, setStep] = useState<Step>('call')
  const [written, change] = useDraft(call)
  const composer = useComposer(call, step === 'always')
  const { busy, busyNow, failure, fail, send } = useSending(onAnswer)
  const sendAndStep = async (given: Given) => {
    const failed = await send(given)
    if (failed?.ruleSaved || (failed && given.rule === null)) setStep('call') // an error stands where it was made
  }
  // An answer that reaches further than the call is for the session that is shown, too.
  const inView = JSON.stringify([view.name, written.reach.scope === 'once' ? null : call.sessionId])
  const held = useHeld<Given>({
    inView,
    onSend: (given) => void sendAndStep(given),
    onChanged: () => {
      fail(view.left === 0 ? null : new DeskError({ code: 'stale', message: '' }))
    },
  })

  const fields = answerFields(call.resumeSchema)
  const data = fields !== null && written.data === '' ? dataOf(fields, answersIn(fields, '')) : written.data // the presets
  const reach = scopesFor(call, written.edited !== null).includes(written.reach.scope) ? written.reach : onlyThis
  const draft = { ...written, reach, data }
  const alike = draft.identical ? identical : []
  const hindrance = hindranceOf(view, draft, step, composer) ?? (fields !== null && (lacksAnswer(fields, data) || (call.resumeRequired && data === '')) ? 'answer' : null)
  const frozen = busy || held.until !== null
  const offered = JSON.stringify([inView, draft.edited, draft.reach, alike, step, step === 'always' && composer.chosen])
  const arming = useArming(call, hindrance === null && !frozen ? offered : null)

  const go = (next: Step) => {
    fail(null)
    setStep(next)
  }
  const approve = () => {
    if (hindrance !== null || !arming.takes()) return
    if (step === 'call' && draft.reach.scope === 'session') {
      go('everything')
      return
    }
    const rule = step === 'always' ? composer.rule : null
    const { look } = view.looked
    const given = { verdict: yes(draft, rule ? onlyThis : draft.reach, look?.workspace && look.file?.version), identical: alike, rule }
    const undoSeconds = call.risk === 'low' ? 0 : (settings?.undoSeconds ?? usualUndo)
    fail(null)
    if (undoSeconds === 0) void sendAndStep(given)
    else held.hold(given, undoSeconds * 1000)
  }
  const decline = () => {
    if (view.left !== 0) void send({ verdict: no(draft), identical: alike, rule: null })
  }
  return {
    call,
    view,
    arming,
    composer,
    hindrance,
    step,
    go,
    draft,
    change,
    busy,
    undoUntil: held.until,
    failure,
    press: (event, approved) => {
      if (frozen || busyNow() || !isAnswer(event, trusts)) return
      if (approved) approve()
      else decline()
    },
    trusts,
    extend: async () => {
      fail(await desk.extend(call.id, extendSeconds).then(() => null, DeskError.from))
    },
    undo: held.drop,
    dismiss: () => {
      if (held.until !== null) held.drop()
      else if (busyNow()) return
      else if (step !== 'call') go('call')
      else onLater()
    },
  }
}

function hindranceOf({ unseen, input }: View, { data, unread, edited }: Draft, step: Step, { rule }: Composer): Hindrance | null {
  if (unseen !== null && !(unseen === 'unread' && unread)) return unseen
  if (edited !== null && (input.state !== 'shown' || checkEdit(edited, input.raw) !== null)) return 'edit'
  if (!dataReadable(data)) return 'data'
  return step === 'always' && rule === null ? 'rule' : null
}
