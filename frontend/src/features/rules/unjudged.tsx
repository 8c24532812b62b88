import type { Preview } from '../../desk/types'
import { useI18n } from '../../i18n/i18n'
import css from './preview.module.css'

/** Of how many past calls a preview can tell nothing, in a line of its own; nothing where it can of all. */
export function Unjudged({ preview: { unjudged } }: { preview: Preview }) {
  const { t } = useI18n()
  return unjudged > 0 && <span className={css.unjudged}>{t('rules.previewUnjudged', { count: unjudged })}</span>
}
