import type { ClientApp } from '../../desk/types'
import { AppNow } from './app-now'
import { AppUnasked } from './app-unasked'
import css from './apps.module.css'

/** An app that was found, what it may do today without a question to the desk, and how far it came. */
export function AppFound({ app }: { app: ClientApp }) {
  return (
    <li className={css.row}>
      <div className={css.what}>
        <p className={css.name}>{app.name}</p>
        <AppUnasked app={app} />
        {app.wired && (
          <p>
            <AppNow app={app} />
          </p>
        )}
      </div>
    </li>
  )
}
