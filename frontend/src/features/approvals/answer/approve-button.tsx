import { useI18n } from '../../../i18n/i18n'
import { Button } from '../../../ui/button'
import css from '../dialog/approval-foot.module.css'
import type { Approval } from './use-approval'

interface Props {
  approval: Approval
  label: string
}

/** The button that says yes. It stays focusable while inert, and says to a screen reader when it is ready. */
export function ApproveButton({ approval, label }: Props) {
  const { t } = useI18n()
  const { arming, busy, call, press } = approval
  const able = approval.hindrance === null
  const filling = able && arming.phase === 'filling'
  const ready = able && arming.phase === 'armed' && !busy
  const unheard = able && arming.phase === 'unheard'
  return (
    <>
      <Button
        look="strong"
        className={css.approve}
        aria-disabled={!ready}
        aria-keyshortcuts="Control+Enter Meta+Enter"
        onClick={(e) => {
          press(e.nativeEvent, true)
        }}
      >
        {label}
        {filling && <span key={arming.cycle} className={css.fill} data-risk={call.risk} aria-hidden="true" />}
      </Button>
      <span className="visually-hidden" role="status">
        {busy ? t('approval.sending') : ready ? t('approval.armed') : filling ? t('approval.arming') : unheard ? t('approval.unheard') : ''}
      </span>
    </>
  )
}
