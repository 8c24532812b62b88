import { useI18n } from '../i18n/i18n'
import { AgentText } from '../ui/agent-text'
import { Button } from '../ui/button'
import { Seal } from '../ui/seal'
import css from './sign-in.module.css'

interface Props {
  error: unknown
  onReload: () => void
}

/** What stands in place of a page that could not be drawn any more: what happened, what became of the calls, and the way back. */
export function PageFailed({ error, onReload }: Props) {
  const { t } = useI18n()
  return (
    <main className={css.page}>
      <div className={css.card} role="alert">
        <Seal size="large" />
        <h1 className={css.title}>{t('app.failed')}</h1>
        <p>{t('app.failedText')}</p>
        <p className={css.note}>
          <AgentText as="path">{error instanceof Error ? error.message : String(error)}</AgentText>
        </p>
        <div>
          <Button look="strong" autoFocus onClick={onReload}>
            {t('app.reload')}
          </Button>
        </div>
      </div>
    </main>
  )
}
