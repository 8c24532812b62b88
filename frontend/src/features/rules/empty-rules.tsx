import { useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'
import { createExampleRules } from '../../desk/example-rules'
import { errorText } from '../../i18n/error-text'
import { Button } from '../../ui/button'
import { Empty } from '../../ui/empty'
import { Notice } from '../../ui/notice'
import { useI18n } from './screen'

/** A desk without rules: what that means, and five to begin with. */
export function EmptyRules({ onChanged }: { onChanged: () => Promise<void> }) {
  const { t } = useI18n()
  const desk = useDesk()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<DeskError | null>(null)
  const addExamples = async () => {
    setBusy(true)
    try {
      await createExampleRules(desk)
    } catch (thrown) {
      setError(DeskError.from(thrown))
      setBusy(false)
    }
    await onChanged()
  }
  return (
    <Empty title={t('rules.emptyTitle')}>
      <p>{t('rules.emptyText')}</p>
      <Button disabled={busy} onClick={() => void addExamples()}>
        {t('rules.examples')}
      </Button>
      {error && (
        <Notice tone="deny" role="alert">
          {errorText(t, error)}
        </Notice>
      )}
    </Empty>
  )
}
