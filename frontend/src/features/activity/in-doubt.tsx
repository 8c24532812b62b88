import { useDesk } from '../../desk/desk-context'
import type { Call, Resolution } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import css from './activity-screen.module.css'
import { useI18n } from './screen'

interface Props {
  call: Call
  /** The call as the desk has it now. */
  onKnown: (call: Call) => void
}

/** A call that was started and gave no answer: a person looks, and settles it. It stays mounted to say what a refusal was. */
export function InDoubt({ call, onKnown }: Props) {
  const { t } = useI18n()
  const desk = useDesk()
  const { busy, error, run } = useAction(async (action: Resolution) => {
    onKnown(await desk.resolve(call.id, action))
  })
  const resolve = async (action: Resolution) => {
    const refused = await run(action)
    if (refused?.call) onKnown(refused.call)
  }
  const over = error?.call !== undefined && error.call.status !== 'in_doubt'
  return (
    <>
      {call.status === 'in_doubt' && (
        <div className={css.doubt}>
          <p>{t('activity.inDoubt')}</p>
          <Button
            small
            disabled={busy}
            aria-label={t('activity.runAgainOne', { tool: call.toolName })}
            onClick={() => void resolve('retry')}
          >
            {t('activity.runAgain')}
          </Button>
          <Button small disabled={busy} aria-label={t('activity.closeOne', { tool: call.toolName })} onClick={() => void resolve('close')}>
            {t('common.close')}
          </Button>
        </div>
      )}
      <Alert>{error && (over ? t('activity.notInDoubt') : errorText(t, error))}</Alert>
    </>
  )
}
