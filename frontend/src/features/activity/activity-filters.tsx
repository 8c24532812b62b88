import { useEffect, useRef } from 'react'
import { useI18n } from '../../i18n/i18n'
import { Field } from '../../ui/field'
import css from './activity-screen.module.css'
import type { ActivityFilter } from './use-activity'

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
  filter: ActivityFilter
  onFilter: (filter: ActivityFilter) => void
}

/** The search over all calls; `/` leads to it. */
export function ActivityFilters({ filter, onFilter }: Props) {
  const { t } = useI18n()
  const form = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const writing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLSelectElement
      if (event.key !== '/' || writing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return
      event.preventDefault()
      form.current?.querySelector('input')?.focus()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => {
      document.removeEventListener('keydown', onKeyDown)
    }
  }, [])
  const fate = (Object.keys(fates) as Fate[]).find((name) => fates[name] === filter.statuses) ?? 'all'
  return (
    <div className={css.filters} role="search" ref={form}>
      <Field
        type="search"
        label={t('activity.search')}
        placeholder={t('activity.searchHint')}
        value={filter.text}
        onChange={(e: { currentTarget: { value: string } }) => {
          onFilter({ ...filter, text: e.currentTarget.value })
        }}
      />
      <label className={css.fate}>
        <span>{t('activity.show')}</span>
        <select
          value={fate}
          onChange={(e) => {
            onFilter({ ...filter, statuses: fates[e.currentTarget.value as Fate] })
          }}
        >
          {(Object.keys(fates) as Fate[]).map((name) => (
            <option key={name} value={name}>
              {t(`activity.fate.${name}`)}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}

/** Everything. */
export const noFilter: ActivityFilter = { text: '', statuses: fates.all }
