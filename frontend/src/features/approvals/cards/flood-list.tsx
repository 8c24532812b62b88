import { useMemo } from 'react'
import type { PendingCall } from '../../../desk/types'
import { write } from '../../../i18n/format'
import { useI18n } from '../../../i18n/i18n'
import { AgentText } from '../../../ui/agent-text'
import { idOf } from '../../../ui/object-list/by-agent'
import { ObjectList } from '../../../ui/object-list/object-list'
import { RowHeading } from '../../../ui/object-list/row-heading'
import { RiskBadge } from '../dialog/risk-badge'
import { toolGroups } from '../queue/flood'
import { WaitingRow } from '../queue/waiting-row'
import css from './card.module.css'

interface Props {
  calls: readonly PendingCall[]
  clockOffset: number
  /** Nothing can be pressed for the moment. */
  busy: boolean
  onReview: (id: string) => void
}

/** About the height of a row, in pixels. */
const rowHeight = 60

/** Many calls of one agent by their tools, the most frequent first: how many are for each, and what each is about. */
export function FloodList({ calls, clockOffset, busy, onReview }: Props) {
  const { t, language } = useI18n()
  const groups = useMemo(() => toolGroups(calls), [calls])
  const review = (id: string) => {
    if (!busy) onReview(id)
  }
  return (
    <div className={css.tools}>
      <ObjectList
        label={t('queue.tools')}
        groups={groups}
        keyOf={idOf<PendingCall>}
        estimate={rowHeight}
        flat
        onOpen={(call) => {
          review(call.id)
        }}
        heading={({ toolName, serverId, risk, items }, row) => (
          <RowHeading
            state={row}
            name={<AgentText>{toolName}</AgentText>}
            about={serverId === null ? t('queue.ownTool') : <AgentText>{serverId}</AgentText>}
          >
            <RiskBadge risk={risk} reasons={[]} />
            <span className={css.times}>× {write(items.length, language)}</span>
          </RowHeading>
        )}
      >
        {(call, row) => <WaitingRow call={call} state={row} clockOffset={clockOffset} busy={busy} onReview={review} />}
      </ObjectList>
    </div>
  )
}
