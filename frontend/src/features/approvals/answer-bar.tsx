import type { ReactNode } from 'react'
import type { DeskError } from '../../desk/desk-error'
import { errorText } from '../../i18n/error-text'
import { useI18n } from '../../i18n/i18n'
import { Button } from '../../ui/button'
import { Field } from '../../ui/field'
import { Notice } from '../../ui/notice'
import css from './answer-bar.module.css'
import { ApproveButton } from './approve-button'
import type { Gesture } from './arming'
import { Deadline } from './deadline'
import type { Arming } from './use-arming'

interface Props {
  arming: Arming
  /** The input has been in view and the time is not up. */
  canApprove: boolean
  /** The input is there, but outside of what has been in view. */
  unseen: boolean
  busy: boolean
  error: DeskError | null
  /** Seconds until the call declines by itself; null waits without limit. */
  left: number | null
  notice: ReactNode
  reason: string
  onReason: (reason: string) => void
  onPress: (event: Gesture, approved: boolean) => void
  onLater: () => void
}

/** The foot of the dialog: the deadline, the reason, the answers. */
export function AnswerBar({ arming, canApprove, unseen, busy, error, left, notice, reason, onReason, onPress, onLater }: Props) {
  const { t } = useI18n()
  return (
    <footer className={css.bar}>
      {error && (
        <Notice tone="deny" role="alert">
          {errorText(t, error)}
        </Notice>
      )}
      <div className={css.row}>
        <div className={css.reason}>
          <Field
            lines={1}
            label={t('approval.reason')}
            placeholder={t('approval.reasonHint')}
            value={reason}
            readOnly={busy}
            onChange={(e: { currentTarget: { value: string } }) => {
              onReason(e.currentTarget.value)
            }}
          />
        </div>
        <div className={css.answers}>
          <Button
            className={css.decline}
            aria-disabled={busy}
            onClick={(e) => {
              onPress(e.nativeEvent, false)
            }}
          >
            {t('approval.decline')}
          </Button>
          <ApproveButton arming={arming} canApprove={canApprove} busy={busy} onPress={onPress} />
        </div>
      </div>
      <div className={css.foot}>
        <Deadline left={left} />
        {notice ?? <span className={unseen ? css.unseen : css.keys}>{t(unseen ? 'approval.unseen' : onMac() ? 'approval.keysMac' : 'approval.keys')}</span>}
        <Button look="quiet" small title={t('approval.laterHint')} disabled={busy} onClick={onLater}>
          {t('approval.later')}
        </Button>
      </div>
    </footer>
  )
}

function onMac(): boolean {
  return navigator.userAgent.includes('Mac OS')
}
