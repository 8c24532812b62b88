import type { Rule } from '../../desk/types'
import css from './rule-row.module.css'
import { useI18n } from './screen'
import type { Picks } from './use-picks'

/** The names of the columns, and what chooses all rules in view. */
export function RuleHead({ shown, picks }: { shown: readonly Rule[]; picks: Picks }) {
  const { t } = useI18n()
  const all = shown.length > 0 && shown.every(({ id }) => picks.ids.has(id))
  return (
    <div className={css.head}>
      <span className={css.headPlace} />
      <input
        type="checkbox"
        className={css.pick}
        aria-label={t('rules.pickAll')}
        checked={all}
        onChange={() => {
          picks.set(all ? [] : shown)
        }}
      />
      <div className={css.cells} aria-hidden="true">
        <span>{t('rules.col.effect')}</span>
        <span>{t('rules.col.where')}</span>
        <span>{t('rules.col.what')}</span>
        <span>{t('rules.col.condition')}</span>
        <span>{t('rules.col.used')}</span>
      </div>
    </div>
  )
}
