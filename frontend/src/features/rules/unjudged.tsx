import type { Preview } from '../../desk/types'
import css from './preview.module.css'
import { useI18n } from './screen'

/** Of how many past calls a preview can tell nothing, in a line of its own; nothing where it can of all. */
export function Unjudged({ preview: { unjudged } }: { preview: Preview }) {
  const { t } = useI18n()
  return unjudged > 0 && <span className={css.unjudged}>{t('rules.previewUnjudged', { count: unjudged })}</span>
}
