import type { ClientApp } from '../../desk/types'
import { Icon } from '../../ui/icon'
import { AppNow } from './app-now'
import css from './found-apps.module.css'
import { useI18n } from './screen'

/** How far an app came on its way to the desk. Each step is ticked for what happened, not for what was pressed. */
export function AppSteps({ app }: { app: ClientApp }) {
  const { t } = useI18n()
  const steps = [
    ['found', app.found],
    ['wired', app.wired],
    ['spoken', app.spoken],
    ['first', app.firstAt !== null],
  ] as const
  return (
    <>
      <ol className={css.steps} aria-label={t('apps.steps', { app: app.name })}>
        {steps.map(([step, done]) => (
          <li key={step} className={done ? css.done : css.open}>
            <span className={css.mark}>{done && <Icon name="allow" />}</span>
            {t(`apps.step.${step}`)}
            {done && <span className="visually-hidden"> {t('apps.done')}</span>}
          </li>
        ))}
      </ol>
      <p className={css.now} role="status">
        <AppNow app={app} />
      </p>
    </>
  )
}
