import type { DeskError } from '../../desk/desk-error'
import type { Preview } from '../../desk/types'
import css from './preview.module.css'
import { useI18n } from './screen'
import { Unjudged } from './unjudged'

const steps = ['allow>ask', 'allow>deny', 'ask>allow', 'ask>deny', 'deny>ask', 'deny>allow'] as const

/** What would have been decided otherwise without a rule. Nothing where that cannot be told. */
export function DeletePreview({ preview, error }: { preview: Preview | null; error: DeskError | null }) {
  const { t } = useI18n()
  if (error) return null
  if (!preview) return <p className={css.would}>{t('rules.previewWait')}</p>
  const { total, changedTotal, counts } = preview
  return (
    <>
      {total > 0 && changedTotal === 0 && <p className={css.would}>{t('rules.previewNone', { count: total })}</p>}
      {changedTotal > 0 && (
        <ul className={css.would}>
          {steps.map((step) => {
            const count = counts[step] ?? 0
            return count > 0 && <li key={step}>{t(`rules.instead.${step}`, { count })}</li>
          })}
        </ul>
      )}
      <Unjudged preview={preview} />
    </>
  )
}
