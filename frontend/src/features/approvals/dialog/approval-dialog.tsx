import { useId, type KeyboardEvent, type ReactNode } from 'react'
import { useI18n } from '../../../i18n/i18n'
import { Folds } from '../../../ui/folds'
import { Modal } from '../../../ui/modal'
import { useReturnFocus } from '../../../ui/use-return-focus'
import { AnswerForm } from '../answer/answer-form'
import { DataField } from '../answer/data-field'
import { dropRepeats } from '../answer/keys'
import { useApproval, type ApprovalOptions } from '../answer/use-approval'
import { RuleComposer } from '../composer/rule-composer'
import css from './approval-dialog.module.css'
import { ApprovalFoot } from './approval-foot'
import { ApprovalHead } from './approval-head'
import { CallDescription } from './call-description'
import { CallFacts } from './call-facts'
import { CallObject } from './call-object'
import { CallWarnings } from './call-warnings'
import { Fact } from './fact'
import { LateCaller, LateLevel, LateParts, LateWorkspace } from './late-reading'
import { ToolChanged } from './tool-changed'
import { ToolFlags } from './tool-flags'
import { saysMore, WhyAsked, WhyTold } from './why-asked'

export interface DialogProps extends ApprovalOptions {
  position: number
  total: number
  /** The way to the other calls, in the head. frozen: nothing else may come to the front, or an answer would be lost. */
  drawer?: (frozen: boolean) => ReactNode
  /** What happened to the call before, in one line. */
  notice?: ReactNode
  refused?: ReactNode
}

/**
 * One held call, and the person's answer to it. Render it under a key of the
 * call's id and input hash, so that nothing of one call lingers beside another.
 */
export function ApprovalDialog({ position, total, drawer, notice, refused, ...options }: DialogProps) {
  const { t } = useI18n()
  const id = useId()
  const approval = useApproval(options)
  const { call, view, step, draft, change, busy, undoUntil, press } = approval
  const frozen = busy || undoUntil !== null
  const frame = useReturnFocus<HTMLDivElement>(step !== 'call' || undoUntil !== null, '[data-first-focus]') // never on an answer
  const onKeyDown = (event: KeyboardEvent) => {
    dropRepeats(event)
    // Whoever writes why not is not saying yes.
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !isWritten(event.target)) {
      event.preventDefault()
      press(event.nativeEvent, true)
    }
  }
  // What the desk says of its own, such as a limit that is reached, is not folded away.
  const more = saysMore(call.why)
  const why = (
    <Fact label={t('approval.why')}>
      <WhyAsked call={call} frozen={frozen} onLeave={options.onLater} />
    </Fact>
  )
  return (
    <Modal
      role="alertdialog"
      className={css.dialog ?? ''}
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-warnings ${id}-why`}
      aria-busy={busy || !view.ready}
      data-risk={call.risk}
      onKeyDown={onKeyDown}
      onDismiss={approval.dismiss}
    >
      <div className={css.frame} ref={frame} data-ready={view.ready}>
        <ApprovalHead call={call} looked={view.looked} id={id} edited={draft.edited !== null} position={position} total={total} drawer={drawer?.(frozen)} />
        <div className={css.middle}>
          <div className={css.body}>
            {view.ready ? (
              <>
                <CallWarnings call={call} id={`${id}-warnings`} />
                <ToolFlags call={call} flags={view.looked.look?.flags ?? []} frozen={frozen} />
                {call.why.changed && <ToolChanged tool={view.tool} />}
                <Folds value={view.onFold}>
                  <LateParts looked={view.looked} edited={draft.edited !== null} />
                  {view.looked.look?.workspace && <LateWorkspace looked={view.looked} edited={draft.edited !== null} />}
                </Folds>
                <CallObject
                  input={view.input}
                  looked={view.looked}
                  start={view.start}
                  end={view.end}
                  onFold={view.onFold}
                  edited={draft.edited}
                  onEdited={
                    call.inputFixed
                      ? null
                      : (edited) => {
                          change({ edited })
                        }
                  }
                  onCounted={view.onCounted}
                  readOnly={frozen}
                  reasons={call.riskReasons}
                />
                {call.resumeSchema !== null && <DataField approval={approval} />}
                <CallDescription call={call} />
                {more && <dl className={css.ledger}>{why}</dl>}
                <CallFacts call={call} why={more ? null : why} />
                <WhyTold call={call} id={`${id}-why`} />
                <LateCaller call={call} />
                <LateLevel call={call} frozen={frozen} />
              </>
            ) : (
              <p className={css.loading} role="status">
                {t('approval.inputLoading')}
              </p>
            )}
            {step === 'always' && <RuleComposer approval={approval} />}
          </div>
          {step === 'call' && <AnswerForm approval={approval} identical={options.identical?.length ?? 0} />}
        </div>
        <ApprovalFoot approval={approval} notice={notice} refused={refused} onLater={options.onLater} />
      </div>
    </Modal>
  )
}

function isWritten(target: EventTarget): boolean {
  return target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === 'text')
}
