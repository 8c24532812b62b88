import type { Effect } from '../../desk/types'
import { Button } from '../../ui/button'
import { Check } from '../../ui/check'
import { Icon } from '../../ui/icon'
import { Select } from '../../ui/select'
import { searchKey } from '../../ui/search-key'
import { isFiltering, noFilter, type RuleFilter } from './rule-filter'
import css from './rule-search.module.css'
import { useI18n } from './screen'

interface Props {
  filter: RuleFilter
  onChange: (filter: RuleFilter) => void
  /** The servers that rules are about. */
  servers: readonly string[]
  /** How many rules are in view, and how many there are. */
  found: number
  total: number
}

/** Looks for rules: by words, and by what they are. The key / leads here. */
export function RuleSearch({ filter, onChange, servers, found, total }: Props) {
  const { t } = useI18n()
  const change = (part: Partial<RuleFilter>) => {
    onChange({ ...filter, ...part })
  }
  const checks = (['unused', 'shadowed', 'resting'] as const).map((name) => ({ name, label: t(`rules.filter.${name}`) }))
  return (
    <div className={css.bar} role="search">
      <label className={css.words}>
        <span className="visually-hidden">{t('rules.search')}</span>
        <Icon name="search" />
        <input
          ref={searchKey}
          type="search"
          placeholder={t('rules.searchHint')}
          aria-keyshortcuts="/"
          autoComplete="off"
          spellCheck={false}
          value={filter.text}
          onChange={(e) => {
            change({ text: e.currentTarget.value })
          }}
          onKeyDown={(e) => {
            if (e.key === 'Escape' && filter.text !== '') change({ text: '' })
          }}
        />
      </label>
      <Select
        place="beside"
        label={t('rules.filter.effect')}
        value={filter.effect}
        options={[['', t('rules.filter.everyEffect')], ...(['allow', 'ask', 'deny'] as const).map((e) => [e, t(`effect.${e}`)] as const)]}
        onChange={(effect: Effect | '') => {
          change({ effect })
        }}
      />
      <Select
        place="beside"
        label={t('rules.filter.server')}
        value={filter.server}
        options={[['', t('rules.filter.everyServer')], ['*', t('rules.anyServer')], ...servers.map((s) => [`=${s}`, s] as const)]}
        onChange={(server) => {
          change({ server })
        }}
      />
      <div className={css.checks}>
        {checks.map(({ name, label }) => (
          <Check
            key={name}
            label={label}
            checked={filter[name]}
            onChange={(on) => {
              change({ [name]: on })
            }}
          />
        ))}
      </div>
      <a href="#/grants">{t('grants.title')}</a>
      <p className={css.count}>
        <span role="status">{isFiltering(filter) ? t('rules.found', { found, count: total }) : t('rules.count', { count: total })}</span>
        {isFiltering(filter) && (
          <Button
            look="quiet"
            small
            onClick={({ currentTarget }) => {
              currentTarget.closest('[role=search]')?.querySelector('input')?.focus()
              onChange(noFilter)
            }}
          >
            {t('rules.clear')}
          </Button>
        )}
      </p>
    </div>
  )
}
