import type { ClientEntry } from '../../desk/types'
import { AppObstacle } from './app-obstacle'
import css from './apps.module.css'
import { useI18n } from './screen'

/** Whether the desk is asked about the tools that an app brings itself. */
export function AppHooks({ of }: { of: ClientEntry }) {
  const { t, tx } = useI18n()
  return (
    <p className={css.path}>
      {of.state === 'left' ? tx('apps.hooksLeft', { reason: <AppObstacle of={of} /> }) : t(of.state === 'behind' ? 'apps.hooksOn' : 'apps.hooksOff')}
    </p>
  )
}
