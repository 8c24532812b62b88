import { useState, type ReactNode } from 'react'
import type { DeskError } from '../../desk/desk-error'
import type { Effect, Preview } from '../../desk/types'
import { errorText } from '../../i18n/error-text'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import { PreviewCalls } from './preview-calls'
import css from './preview.module.css'
import { useI18n } from './screen'
import { Unjudged } from './unjudged'

/** What an edit would have changed in the past, in one line, and the calls on demand. */
export function PreviewLine({ preview, error }: { preview: Preview | null; error: DeskError | null }) {
  const { t } = useI18n()
  const [open, setOpen] = useState(false)
  const some = preview !== null && preview.changed.length > 0
  return (
    <div className={css.preview}>
      <div className={css.line}>
        <Icon name="clock" />
        <p role="status">
          {error ? errorText(t, error) : preview ? <Told preview={preview} /> : t('rules.previewWait')}
          {preview && <Unjudged preview={preview} />}
        </p>
        {some && (
          <Button
            look="quiet"
            small
            aria-expanded={open}
            onClick={() => {
              setOpen(!open)
            }}
          >
            {open ? t('rules.previewHide') : t('rules.previewShow')}
          </Button>
        )}
      </div>
      {some && open && <PreviewCalls preview={preview} />}
    </div>
  )
}

function Told({ preview }: { preview: Preview }): ReactNode {
  const { t, language } = useI18n()
  const { changedTotal, total, declined, counts, unjudged } = preview
  if (total === 0) return unjudged === 0 && t('rules.previewNoPast')
  if (changedTotal === 0) return t('rules.previewNone', { count: total })
  const parts = (['ask', 'allow', 'deny'] as const)
    .map((effect) => ({ effect, count: becoming(counts, effect) }))
    .filter(({ count }) => count > 0)
  const list = new Intl.ListFormat(language, { type: 'unit' }).format(
    parts.map(({ effect, count }) => t(`rules.would.${effect}`, { count })),
  )
  return (
    <>
      {t('rules.preview', { count: changedTotal, total, parts: list })}
      {declined > 0 && <strong className={css.declined}> {t('rules.previewDeclined', { count: declined })}</strong>}
    </>
  )
}

/** How many calls would now have an effect, whatever they had. counts are by "before>after". */
function becoming(counts: Record<string, number>, effect: Effect): number {
  return Object.entries(counts).reduce((sum, [step, n]) => (step.endsWith(`>${effect}`) ? sum + n : sum), 0)
}
