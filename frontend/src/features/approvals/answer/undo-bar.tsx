import { useId } from 'react'
import { useI18n } from '../../../i18n/i18n'
import { Button } from '../../../ui/button'
import { Icon } from '../../../ui/icon'
import { useTimeLeft } from '../../../ui/use-time-left'
import css from '../dialog/approval-foot.module.css'

/** A yes that is not sent yet, and the way to take it back. */
export function UndoBar({ until, onUndo }: { until: string; onUndo: () => void }) {
  const { t, tx } = useI18n()
  const id = useId()
  const left = useTimeLeft(until) ?? 0
  return (
    <footer className={css.foot}>
      <div className={css.undo}>
        <p className={css.undoWords} role="timer" id={id}>
          <Icon name="clock" />
          <span>{tx('approval.undoing', { seconds: <span className={css.time}>{left}</span> })}</span>
        </p>
        <Button
          look="strong"
          autoFocus
          aria-describedby={id}
          aria-keyshortcuts="Escape"
          onClick={(e) => {
            // The second click of a double click was meant for Approve.
            if (e.detail < 2) onUndo()
          }}
        >
          {t('approval.undo')} <kbd className={css.key}>Esc</kbd>
        </Button>
      </div>
    </footer>
  )
}
