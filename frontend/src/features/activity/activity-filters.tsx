import type { CallsQuery } from '../../desk/call-list'
import { Field } from '../../ui/field'
import { Select } from '../../ui/select'
import { searchKey } from '../../ui/search-key'
import css from './activity-screen.module.css'
import { useI18n } from './screen'

/** What may have become of the calls that are shown. */
const fates = {
  all: [],
  waiting: ['pending'],
  ran: ['approved', 'claimed', 'completed', 'failed'],
  stopped: ['denied', 'declined', 'expired', 'cancelled', 'revoked'],
  doubt: ['in_doubt'],
} as const

type Fate = keyof typeof fates

interface Props {
  filter: CallsQuery
  onFilter: (filter: CallsQuery) => void
}

/** The search over all calls; `/` leads to it. */
export function ActivityFilters({ filter, onFilter }: Props) {
  const { t } = useI18n()
  const fate = (Object.keys(fates) as Fate[]).find((name) => fates[name] === filter.statuses) ?? 'all'
  return (
    <div className={css.filters} role="search">
      <Field
        ref={searchKey}
        type="search"
        aria-keyshortcuts="/"
        label={t('activity.search')}
        placeholder={t('activity.searchHint')}
        value={filter.text}
        onChange={(e: { currentTarget: { value: string } }) => {
          onFilter({ ...filter, text: e.currentTarget.value })
        }}
      />
      <Select
        label={t('activity.show')}
        value={fate}
        options={(Object.keys(fates) as Fate[]).map((name) => [name, t(`activity.fate.${name}`)])}
        onChange={(name) => {
          onFilter({ ...filter, statuses: fates[name] })
        }}
      />
    </div>
  )
}

/** What the address asks for: #/activity?q=TEXT; without it everything. */
export function filterAt(hash: string): CallsQuery {
  const query = new URLSearchParams(hash.includes('?') ? hash.slice(hash.indexOf('?') + 1) : '')
  return { text: query.get('q') ?? '', statuses: fates.all }
}
