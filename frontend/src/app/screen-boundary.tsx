import type { ReactNode } from 'react'
import { useI18n } from '../i18n/i18n'
import { AgentText } from '../ui/agent-text'
import { Button } from '../ui/button'
import { ErrorBoundary } from '../ui/error-boundary'
import { Notice } from '../ui/notice'
import css from './screen-boundary.module.css'

/** The error boundary of one screen: what cannot be drawn there takes neither the navigation nor the approval dialog with it. */
export function ScreenBoundary({ children }: { children: ReactNode }) {
  return <ErrorBoundary fallback={(error, retry) => <ScreenFailed error={error} onRetry={retry} />}>{children}</ErrorBoundary>
}

function ScreenFailed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { t } = useI18n()
  return (
    <section className={css.failed} aria-labelledby="screen-failed">
      <h1 className={css.title} id="screen-failed">
        {t('app.screenFailed')}
      </h1>
      <Notice tone="deny" role="alert">
        <p>{t('app.screenFailedText')}</p>
        <p>
          <AgentText as="path">{error instanceof Error ? error.message : String(error)}</AgentText>
        </p>
      </Notice>
      <div>
        <Button look="strong" onClick={onRetry}>
          {t('common.retry')}
        </Button>
      </div>
    </section>
  )
}
