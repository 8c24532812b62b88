import { useId } from 'react'
import { useDesk } from '../../desk/desk-context'
import { useAction } from '../../desk/use-action'
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
  const title = useId()
  const { busy, error, run } = useAction(async () => {
    if (done.kind === 'deleted') await desk.importRules(done.document, 'merge', null, [done.rule.id])
    else await desk.moveRule(done.rule.id, done.before, policyVersion)
  })
  const undo = async () => {
    const refused = await run()
    if (!refused) onClose()
    await changed()
    if (!refused) go(done.rule.id, true)
  }
  const rule = ruleName(done.rule, t('rules.anyServer'), t('rules.anyTool'))
  return (
    <div ref={done.kind === 'deleted' ? focus : undefined} className={css.bar} tabIndex={-1} role="group" aria-labelledby={title}>
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

/** What was deleted had the focus. */
function focus(bar: HTMLElement | null): void {
  bar?.focus()
}
