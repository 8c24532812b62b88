import { useMemo } from 'react'
import { useI18n } from '../../../i18n/i18n'
import { ObjectList } from '../../../ui/object-list/object-list'
import { byAgent, callKey } from '../queue/by-agent'
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
    () => byAgent(items, (call) => call.agentId).flatMap((agent) => byAgent(agent.items, (call) => `${call.agentId} ${call.sessionId}`).map((session) => ({ ...session, end: agent.end }))),
    [items],
  )
  return (
    <>
      {more && <p className={css.more}>{t('queue.limit', { count: items.length })}</p>}
      <ObjectList
        label={t('queue.list')}
        groups={groups}
        keyOf={callKey}
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
