import { useState } from 'react'
import type { RuleSaved } from '../../desk/desk'
import { useDesk } from '../../desk/desk-context'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { Notice } from '../../ui/notice'
import { useI18n } from './screen'
import css from './waiting-matches.module.css'

/** After a rule was saved: how many waiting calls it matches and, when it allows, the way to let them go. */
export function WaitingMatches({ saved: { rule, pendingMatches } }: { saved: RuleSaved }) {
  const { t } = useI18n()
  const desk = useDesk()
  const [released, setReleased] = useState<number | null>(null)
  const { busy, error, run } = useAction(async () => {
    setReleased(await desk.release(rule.id))
  })
  if (pendingMatches === 0) return null
  return (
    <>
      <Notice tone="plain" icon="ask" role="status">
        <div className={css.matches}>
          <p>{released === null ? t('rules.pendingMatches', { count: pendingMatches }) : t('rules.released', { count: released })}</p>
          {rule.effect === 'allow' && released === null && (
            <Button small disabled={busy} onClick={() => void run()}>
              {t('rules.release', { count: pendingMatches })}
            </Button>
          )}
        </div>
      </Notice>
      <Alert>{error && errorText(t, error)}</Alert>
    </>
  )
}
