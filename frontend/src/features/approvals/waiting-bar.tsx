import { useId } from 'react'
import { useI18n } from '../../i18n/i18n'
import { Button } from '../../ui/button'
import { Seal } from '../../ui/seal'
import type { QueueState } from './queue-state'
import css from './waiting-bar.module.css'

/** While calls wait and no dialog is open: that they do, and the way back to them. */
export function WaitingBar({ state, onReview }: { state: QueueState; onReview: () => void }) {
  const { t } = useI18n()
  const id = useId()
  if (state.items.length === 0 || state.shownId !== null) return null
  return (
    <div className={css.bar} role="region" aria-labelledby={id}>
      <Seal />
      <p className={css.text} id={id}>{t('waiting.bar', { count: state.items.length })}</p>
      <Button
        look="strong"
        small
        onClick={() => {
          onReview()
        }}
      >
        {t('waiting.review')}
      </Button>
    </div>
  )
}
