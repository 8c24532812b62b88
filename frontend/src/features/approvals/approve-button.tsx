import { useI18n } from '../../i18n/i18n'
import { Button } from '../../ui/button'
import css from './answer-bar.module.css'
import type { Gesture } from './arming'
import type { Arming } from './use-arming'

interface Props {
  arming: Arming
  canApprove: boolean
  busy: boolean
  onPress: (event: Gesture, approved: boolean) => void
}

/** Approve. It stays focusable while inert, and says to a screen reader when it is ready. */
export function ApproveButton({ arming, canApprove, busy, onPress }: Props) {
  const { t } = useI18n()
  const filling = canApprove && arming.phase === 'filling'
  const ready = canApprove && arming.phase === 'armed' && !busy
  return (
    <>
      <Button
        look="seal"
        className={css.approve}
        aria-disabled={!ready}
        aria-keyshortcuts="Control+Enter Meta+Enter"
        onClick={(e) => {
          onPress(e.nativeEvent, true)
        }}
      >
        {t('approval.approve')}
        {filling && <span key={arming.cycle} className={css.fill} aria-hidden="true" />}
      </Button>
      <span className="visually-hidden" role="status">
        {busy ? t('approval.sending') : ready ? t('approval.armed') : filling ? t('approval.arming') : ''}
      </span>
    </>
  )
}
