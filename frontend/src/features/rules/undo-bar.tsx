import { useId, useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { Button } from '../../ui/button'
import { ruleName } from './rule-draft'
import { useAround } from './rules-context'
import { useI18n } from './screen'
import css from './undo-bar.module.css'
import { takeBack, type Undoable } from './undo-steps'

interface Props {
  done: Undoable
  /** How many more can be taken back after this. */
  more: number
  onUndone: () => void
  onClose: () => void
}

/** Takes back what was done last, then what was done before. It stays until it is closed, or everything was taken back. */
export function UndoBar({ done, more, onUndone, onClose }: Props) {
  const { t } = useI18n()
  const desk = useDesk()
  const { policyVersion, changed, go } = useAround()
  const title = useId()
  const [left, setLeft] = useState(done.steps)
  const { busy, error, run } = useAction(async () => {
    for (const [i, step] of left.toReversed().entries()) {
      await takeBack(desk, step, policyVersion)
      setLeft(left.slice(0, left.length - 1 - i))
    }
  })
  const [first] = done.steps
  const undo = async () => {
    const refused = await run()
    if (!refused) onUndone()
    await changed()
    if (!refused && first && first.kind !== 'created') go(first.rule.id, true)
  }
  const name = first ? ruleName(first.rule, t('rules.anyServer'), t('rules.anyTool')) : ''
  const rule = done.steps.length > 1 ? t('rules.count', { count: done.steps.length }) : name
  return (
    <div ref={done.kind === 'deleted' ? focus : undefined} className={css.bar} tabIndex={-1} role="group" aria-labelledby={title}>
      <p role="status" id={title}>{t(`rules.undone.${done.kind}`, { rule })}</p>
      {more > 0 && <p className={css.more}>{t('rules.undoMore', { count: more })}</p>}
      {error && (
        <p className={css.error} role="alert">
          {error.code === 'lost_update' ? t('rules.undoLost') : errorText(t, error)}
        </p>
      )}
      <Button small disabled={busy} onClick={() => void undo()}>
        {t('rules.undo')}
      </Button>
      <Button small look="quiet" onClick={onClose}>
        {t('common.close')}
      </Button>
    </div>
  )
}

/** What was deleted had the focus. */
function focus(bar: HTMLElement | null): void {
  bar?.focus()
}
