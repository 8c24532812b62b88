import { useI18n } from '../../../i18n/i18n'
import { Button } from '../../../ui/button'
import css from '../dialog/approval-foot.module.css'
import { ApproveButton } from './approve-button'
import { StopAgent } from './stop-agent'
import type { Approval } from './use-approval'

const yes = { call: 'approval.approve', always: 'approval.saveRule', everything: 'approval.approveEverything' } as const

/** No, yes, and neither. On the way to a wider yes there is a way back instead of a no. */
export function AnswerButtons({ approval, onLater }: { approval: Approval; onLater: () => void }) {
  const { t } = useI18n()
  const { step, go, busy, view, press } = approval
  return (
    <div className={css.answers}>
      {step === 'call' ? (
        <>
          <Button look="quiet" title={t('approval.laterHint')} disabled={busy} onClick={onLater}>
            {t('approval.later')}
          </Button>
          <Button
            className={css.decline}
            aria-disabled={busy || view.left === 0}
            onClick={(e) => {
              press(e.nativeEvent, false)
            }}
          >
            {t('approval.decline')}
          </Button>
          <StopAgent call={approval.call} arming={approval.arming} busy={busy} trusts={approval.trusts} />
        </>
      ) : (
        <Button
          disabled={busy}
          onClick={() => {
            go('call')
          }}
        >
          {t('approval.back')}
        </Button>
      )}
      <ApproveButton approval={approval} label={t(yes[step])} />
    </div>
  )
}
