import { useI18n } from '../../i18n/i18n'
import { Badge } from '../../ui/badge'
import css from './rules-screen.module.css'

/** The end of every judgement, which nobody can change: what nothing matched, asks. */
export function LastRow() {
  const { t } = useI18n()
  return (
    <li className={css.last}>
      <span className={css.place} />
      <div className={css.what}>
        <p className={css.lastWords}>
          <strong>{t('rules.nothingMatched')}</strong>
          <span aria-hidden="true">→</span>
          <Badge icon="ask" tone="ask">
            {t('effect.ask')}
          </Badge>
        </p>
        <p className={css.hits}>{t('rules.nothingMatchedText')}</p>
      </div>
    </li>
  )
}
