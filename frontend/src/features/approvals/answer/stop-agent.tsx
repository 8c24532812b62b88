import { useDesk } from '../../../desk/desk-context'
import type { PendingCall } from '../../../desk/types'
import { useAction } from '../../../desk/use-action'
import { errorText } from '../../../i18n/error-text'
import { useI18n } from '../../../i18n/i18n'
import { Alert } from '../../../ui/alert'
import { Button } from '../../../ui/button'
import { isAnswer, type Gesture } from './arming'
import type { Arming } from './use-arming'

interface Props {
  call: PendingCall
  arming: Arming
  /** An answer is on its way. */
  busy: boolean
  trusts: ((event: Gesture) => boolean) | undefined
}

/**
 * Stops the agent of a call, which declines this one with all that it asks. It takes nothing before
 * the call was in view for as long as an approval needs: it must not be hit by accident.
 */
export function StopAgent({ call, arming, busy, trusts }: Props) {
  const { t } = useI18n()
  const desk = useDesk()
  const stop = useAction(() => desk.stopAgent(call.agentId), { renews: ['agents'] })
  const ready = arming.phase === 'armed' && !busy && !stop.busy
  return (
    <>
      <Button
        look="quiet"
        title={t('approval.stopHint', { agent: call.agentName })}
        aria-disabled={!ready}
        onClick={(e) => {
          if (!busy && !stop.busy && arming.takes() && isAnswer(e.nativeEvent, trusts)) void stop.run()
        }}
      >
        {t('approval.stop')}
      </Button>
      <Alert>{stop.error && errorText(t, stop.error)}</Alert>
    </>
  )
}
