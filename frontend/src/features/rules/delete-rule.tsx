import { useDesk } from '../../desk/desk-context'
import { useAnswer } from '../../desk/queries'
import type { Rule } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { DeletePreview } from './delete-preview'
import { RuleBadges } from './rule-badges'
import { useAround } from './rules-context'
import { useI18n } from './screen'
import { single } from './undo-steps'

interface Props {
  rule: Rule
  onDone: () => void
}

/** Asks before a rule goes: shows which, and what that would have changed. */
export function DeleteRule({ rule, onDone }: Props) {
  const { t } = useI18n()
  const desk = useDesk()
  const { policyVersion, changed, offer } = useAround()
  const { busy, error, run } = useAction(async () => {
    const { document } = await desk.deleteRule(rule.id, rule.updatedAt)
    onDone()
    offer(single({ kind: 'deleted', rule, document }))
  })
  const past = useAnswer(0, 'preview', busy ? null : [{ delete: [rule.id] }], policyVersion) // of a rule that is gone nothing can be asked
  const remove = async () => {
    await run()
    await changed()
  }
  return (
    <ConfirmDialog
      title={t('rules.deleteTitle')}
      confirm={t('rules.deleteConfirm')}
      cancel={t('common.cancel')}
      error={error ? errorText(t, error) : undefined}
      onConfirm={remove}
      onCancel={onDone}
    >
      <RuleBadges rule={rule} />
      <p>{t('rules.deleteText')}</p>
      {!busy && <DeletePreview preview={past.data} error={past.error} />}
    </ConfirmDialog>
  )
}
