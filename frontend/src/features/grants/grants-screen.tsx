import { useMemo } from 'react'
import { useDesk } from '../../desk/desk-context'
import { useWatched } from '../../desk/queries'
import type { Grant } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { AgentLabel } from '../../ui/agent-label'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { Empty } from '../../ui/empty'
import { Icon } from '../../ui/icon'
import { byAgent, idOf } from '../../ui/object-list/by-agent'
import { ObjectList } from '../../ui/object-list/object-list'
import { RowHeading } from '../../ui/object-list/row-heading'
import { Screen } from '../../ui/screen'
import { GrantRow } from './grant-row'
import css from './grants-screen.module.css'
import { useI18n } from './screen'

/** About the height of a row, in pixels. */
const rowHeight = 76

/** No event tells that an answer or a rule has run out: it is asked for then, and no sooner. */
function untilNextEnd({ nextEnd }: { nextEnd: number | null }): number | false {
  return nextEnd !== null && Math.min(Math.max(1000, nextEnd - Date.now() + 100), 3_600_000)
}

/** Everything that allows (or declines) without asking now, and how to end it. */
export function GrantsScreen() {
  const { t } = useI18n()
  const desk = useDesk()
  const { data, error } = useWatched('grants', untilNextEnd)
  const { error: failed, run } = useAction((deed: () => Promise<void>) => deed(), { renews: ['grants'] })
  const groups = useMemo(() => byAgent(data?.grants ?? []), [data])
  const wrong = failed ?? error
  const hold = data && (
    <Button look={data.hold ? 'plain' : 'strong'} aria-pressed={data.hold} onClick={() => void run(() => desk.hold(!data.hold))}>
      <Icon name="off" /> {t(data.hold ? 'grants.release' : 'grants.hold')}
    </Button>
  )
  return (
    <Screen title={t('grants.title')} lead={t('grants.lead')} action={hold}>
      <Alert>{wrong && errorText(t, wrong)}</Alert>
      {!data && !error && <p role="status">{t('common.loading')}</p>}
      {data?.grants.length === 0 && (
        <Empty title={t('grants.emptyTitle')}>
          <p>{t('grants.emptyText')}</p>
        </Empty>
      )}
      <ObjectList
        label={t('grants.list')}
        groups={groups}
        keyOf={idOf<Grant>}
        estimate={rowHeight}
        flat
        heading={({ agentName, end }, row) => <RowHeading state={row} name={<AgentLabel name={agentName} end={end} />} />}
      >
        {(grant, row) => <GrantRow grant={grant} state={row} onEnd={() => run(() => desk.endGrant(grant.id))} />}
      </ObjectList>
      {data && (
        <p className={css.rules}>
          <a href="#/rules?effect=allow">{t('grants.rules', { count: data.allowing })}</a>
        </p>
      )}
    </Screen>
  )
}
