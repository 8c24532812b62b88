import { useDesk } from '../../desk/desk-context'
import { createExampleRules } from '../../desk/example-rules'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { Empty } from '../../ui/empty'
import { useI18n } from './screen'

/** A desk without rules: what that means, and five to begin with. */
export function EmptyRules() {
  const { t } = useI18n()
  const desk = useDesk()
  const { busy, error, run } = useAction(() => createExampleRules(desk), { renews: ['rules'] })
  return (
    <Empty title={t('rules.emptyTitle')}>
      <p>{t('rules.emptyText')}</p>
      <Button disabled={busy} onClick={() => void run()}>
        {t('rules.examples')}
      </Button>
      <Alert>{error && errorText(t, error)}</Alert>
    </Empty>
  )
}
