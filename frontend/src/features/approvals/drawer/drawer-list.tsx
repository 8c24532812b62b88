import { useI18n } from '../../../i18n/i18n'
import { grouped } from '../queue/grouped'
import { DrawerAgent } from './drawer-agent'
import css from './drawer-list.module.css'
import type { DrawerProps } from './drawer-session'

/** All that waits, by agent. */
export function DrawerList(props: DrawerProps) {
  const { t } = useI18n()
  const { items, more } = props.state
  const agents = grouped(items, (call) => call.agentId)
  return (
    <>
      {more && <p className={css.more}>{t('queue.limit', { count: items.length })}</p>}
      {[...agents.values()].map((calls) => (
        <DrawerAgent key={calls[0].agentId} calls={calls} {...props} />
      ))}
    </>
  )
}
