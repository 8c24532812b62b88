import { useDeferredValue, useMemo, useState } from 'react'
import type { Call } from '../../desk/types'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Empty } from '../../ui/empty'
import { Screen } from '../../ui/screen'
import { resumed } from '../../lists/resumed'
import { useHash } from '../../ui/use-hash'
import { AgentLabel } from '../../ui/agent-label'
import { idOf } from '../../ui/object-list/by-agent'
import { ObjectList } from '../../ui/object-list/object-list'
import { RowHeading } from '../../ui/object-list/row-heading'
import { ActivityFilters, filterAt } from './activity-filters'
import { ActivityRow } from './activity-row'
import { agentStretches } from './agent-stretches'
import { ExportJournal } from './export-journal'
import { folded, type Fold } from './fold'
import { LoadMore } from './load-more'
import { useI18n } from './screen'
import { useActivity } from './use-activity'

/** About the height of a row, in pixels. */
const rowHeight = 96

/** What was asked and what became of it. */
export function ActivityScreen() {
  const { t } = useI18n()
  const hash = useHash()
  const [filter, setFilter] = useState(() => filterAt(hash))
  const { calls, hasMore, error, more, known } = useActivity(useDeferredValue(filter))
  const [groupsOf] = useState(() => {
    const [fold, stretches] = [resumed(folded), resumed(agentStretches)]
    return (calls: readonly Call[]) => stretches(fold(calls).folds).groups
  })
  const groups = useMemo(() => calls && groupsOf(calls), [groupsOf, calls])
  const searching = filter.text !== '' || filter.statuses.length > 0
  return (
    <Screen title={t('activity.title')} lead={t('activity.lead')} action={<ExportJournal />}>
      <ActivityFilters filter={filter} onFilter={setFilter} />
      <Alert>{error && errorText(t, error)}</Alert>
      {!calls && !error && <p role="status">{t('common.loading')}</p>}
      {calls?.length === 0 &&
        (searching ? (
          <p role="status">{t('activity.nothingFound')}</p>
        ) : (
          <Empty title={t('activity.emptyTitle')}>
            <p>{t('activity.emptyText')}</p>
          </Empty>
        ))}
      {groups && (
        <ObjectList
          label={t('activity.list')}
          groups={groups}
          keyOf={idOf<Fold>}
          estimate={rowHeight}
          heading={({ agentName, end }, row) => <RowHeading state={row} name={<AgentLabel name={agentName} end={end} />} />}
        >
          {(fold, row) => <ActivityRow fold={fold} state={row} onKnown={known} />}
        </ObjectList>
      )}
      {hasMore && <LoadMore byItself={error === null} onMore={more} />}
    </Screen>
  )
}
