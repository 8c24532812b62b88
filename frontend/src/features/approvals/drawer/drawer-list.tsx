import { useMemo } from 'react'
import type { PendingCall } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { grouped } from '../../../ui/grouped'
import { byAgent, idOf } from '../../../ui/object-list/by-agent'
import { ObjectList } from '../../../ui/object-list/object-list'
import { WaitingRow } from '../queue/waiting-row'
import css from './drawer-list.module.css'
import { DrawerSession, type DrawerProps } from './drawer-session'

/** About the height of a row, in pixels. */
const rowHeight = 76

/** All that waits, by agent and session. */
export function DrawerList(props: DrawerProps) {
  const { t } = useI18n()
  const { queue, state, shown } = props
  const { items, more, clockOffset } = state
  // The sessions of an agent follow each other.
  const groups = useMemo(
    () => byAgent(items).flatMap((agent) => [...grouped(agent.items, (call) => call.sessionId)].map(([session, of]) => ({ ...agent, key: `${agent.key} ${session}`, items: of }))),
    [items],
  )
  return (
    <>
      {more && <p className={css.more}>{t('queue.limit', { count: items.length })}</p>}
      <ObjectList
        label={t('queue.list')}
        groups={groups}
        keyOf={idOf<PendingCall>}
        estimate={rowHeight}
        flat
        marked={shown.id}
        kept={groups.map(({ key }) => key)}
        onOpen={(call) => {
          queue.review(call.id)
        }}
        heading={(group, row) => <DrawerSession group={group} row={row} {...props} />}
      >
        {(call, row) => <WaitingRow call={call} state={row} clockOffset={clockOffset} shown={call.id === shown.id} onReview={queue.review} />}
      </ObjectList>
    </>
  )
}
