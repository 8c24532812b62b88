import { useEffect, useId, useRef, useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'
import { errorText } from '../../i18n/error-text'
import { Button } from '../../ui/button'
import { ruleName } from './rule-draft'
import { useAround, type Undoable } from './rules-context'
import { useI18n } from './screen'
import css from './undo-bar.module.css'

interface Props {
  done: Undoable
  onClose: () => void
}

/** Takes back what was just done. It stays until it is used, closed, or something else is done. */
export function UndoBar({ done, onClose }: Props) {
  const { t } = useI18n()
  const desk = useDesk()
  const { policyVersion, changed, go } = useAround()
  const bar = useRef<HTMLDivElement>(null)
  const title = useId()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<DeskError | null>(null)
  // What was deleted had the focus.
  useEffect(() => {
    if (done.kind === 'deleted') bar.current?.focus()
  }, [done])
  const undo = async () => {
    setBusy(true)
    setError(null)
    try {
      if (done.kind === 'deleted') await desk.importRules(done.document, 'merge', '', [done.rule.id])
      else await desk.moveRule(done.rule.id, done.before, policyVersion)
    } catch (thrown) {
      setError(DeskError.from(thrown))
      setBusy(false)
      await changed()
      return
    }
    await changed()
    onClose()
    go(done.rule.id, true)
  }
  const rule = ruleName(done.rule, t('rules.anyServer'), t('rules.anyTool'))
  return (
    <div ref={bar} className={css.bar} tabIndex={-1} role="group" aria-labelledby={title}>
      <p role="status" id={title}>{t(`rules.undone.${done.kind}`, { rule })}</p>
      {error && (
        <p className={css.error} role="alert">
          {error.code === 'lost_update' ? t('rules.moveLost') : errorText(t, error)}
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
