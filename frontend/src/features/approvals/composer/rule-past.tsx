import type { Preview } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { Notice } from '../../../ui/notice'
import css from './rule-choice.module.css'

/** What is to be known of a rule besides what it would have matched: what cannot be told, and what a person said no to. */
export function RulePast({ preview, failed }: { preview: Preview | null; failed: boolean }) {
  const { t } = useI18n()
  if (preview === null) return failed ? null : <p role="status">{t('approval.rulePastLoading')}</p>
  const { matchedDeclined, unjudged } = preview
  return (
    <div className={css.past} role="status">
      {unjudged > 0 && <p>{t('rules.previewUnjudged', { count: unjudged })}</p>}
      {matchedDeclined > 0 && <Notice tone="care">{t('approval.rulePastDeclined', { count: matchedDeclined })}</Notice>}
    </div>
  )
}
