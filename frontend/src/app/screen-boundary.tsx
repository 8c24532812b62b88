import { useI18n } from '../i18n/i18n'
import { AgentText } from '../ui/agent-text'
import { Button } from '../ui/button'
import { Notice } from '../ui/notice'
import { PartBoundary } from './part-boundary'
import css from './screen-boundary.module.css'
import type { PageProps, ScreenObject } from './screens'

/** A screen, which takes neither the navigation nor the approval dialog with it where it cannot be loaded or drawn. */
export function ScreenBoundary({ screen, page, reload }: { screen: ScreenObject; page: PageProps; reload: () => void }) {
  return (
    <PartBoundary
      key={screen.name}
      part={screen}
      props={page}
      failed={(error, retry) => <ScreenFailed error={error} onRetry={retry} onReload={reload} />}
    />
  )
}

function ScreenFailed({ error, onRetry, onReload }: { error: unknown; onRetry: () => void; onReload: () => void }) {
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
        </Button>{' '}
        <Button onClick={onReload}>{t('app.reload')}</Button>
      </div>
    </section>
  )
}
