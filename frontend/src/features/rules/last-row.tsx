import { useI18n } from '../../i18n/i18n'
import { EffectBadge } from './effect-badge'
import css from './rule-row.module.css'

/** The end of every judgement, which nobody can change: what nothing matched, asks. */
export function LastRow({ dropHere }: { dropHere: boolean }) {
  const { t } = useI18n()
  return (
    <div className={css.last} data-drop={dropHere}>
      <p className={css.lastWords}>
        <strong>{t('rules.nothingMatched')}</strong>
        <span aria-hidden="true">→</span>
        <EffectBadge effect="ask" />
      </p>
      <p className={css.hits}>{t('rules.nothingMatchedText')}</p>
    </div>
  )
}
