import type { ClientApp } from '../../desk/types'
import { isKey } from '../../i18n/words'
import { AppNow } from './app-now'
import css from './apps.module.css'
import { useI18n } from './screen'

/** An app that was found, what it may do today without a question to the desk, and how far it came. */
export function AppFound({ app }: { app: ClientApp }) {
  const { t } = useI18n()
  return (
    <li className={css.row}>
      <div className={css.what}>
        <p className={css.name}>{app.name}</p>
        {app.unasked.length === 0 ? (
          <p className={css.path}>{t('apps.unaskedNothing')}</p>
        ) : (
          <>
            <p className={css.path}>{t('apps.unaskedTitle')}</p>
            <ul>
              {app.unasked.map((code) => {
                const key = `apps.unasked.${code}`
                return <li key={code}>{isKey<'apps.unasked.side_door'>(key) ? t(key) : code}</li>
              })}
            </ul>
          </>
        )}
        {app.wired && (
          <p>
            <AppNow app={app} />
          </p>
        )}
      </div>
    </li>
  )
}
