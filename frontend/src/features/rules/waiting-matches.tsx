import { useState } from 'react'
import type { RuleSaved } from '../../desk/desk'
import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'
import { errorText } from '../../i18n/error-text'
import { Button } from '../../ui/button'
import { Notice } from '../../ui/notice'
import { useI18n } from './screen'
import css from './waiting-matches.module.css'

/** After a rule was saved: how many waiting calls it matches and, when it allows, the way to let them go. */
export function WaitingMatches({ saved: { rule, pendingMatches } }: { saved: RuleSaved }) {
  const { t } = useI18n()
  const desk = useDesk()
  const [busy, setBusy] = useState(false)
  const [released, setReleased] = useState<number | null>(null)
  const [error, setError] = useState<DeskError | null>(null)
  const release = async () => {
    setBusy(true)
    setError(null)
    try {
      setReleased(await desk.release(rule.id))
    } catch (thrown) {
      setError(DeskError.from(thrown))
    } finally {
      setBusy(false)
    }
  }
  if (pendingMatches === 0) return null
  return (
    <>
      <Notice tone="plain" icon="ask" role="status">
        <div className={css.matches}>
          <p>{released === null ? t('rules.pendingMatches', { count: pendingMatches }) : t('rules.released', { count: released })}</p>
          {rule.effect === 'allow' && released === null && (
            <Button small disabled={busy} onClick={() => void release()}>
              {t('rules.release', { count: pendingMatches })}
            </Button>
          )}
        </div>
      </Notice>
      {error && (
        <Notice tone="deny" role="alert">
          {errorText(t, error)}
        </Notice>
      )}
    </>
  )
}
