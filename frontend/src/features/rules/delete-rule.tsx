import { useState } from 'react'
import type { Desk } from '../../desk/desk'
import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'
import type { Rule, RuleChange } from '../../desk/types'
import { errorText } from '../../i18n/error-text'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { DeletePreview } from './delete-preview'
import { RuleBadges } from './rule-badges'
import { useAround } from './rules-context'
import { useI18n } from './screen'
import { useAnswer } from './use-answer'

interface Props {
  rule: Rule
  onDone: () => void
}

const preview = (desk: Desk, change: RuleChange) => desk.preview(change)

/** Asks before a rule goes: shows which, and what that would have changed. */
export function DeleteRule({ rule, onDone }: Props) {
  const { t } = useI18n()
  const desk = useDesk()
  const { policyVersion, changed, offer } = useAround()
  const [error, setError] = useState<DeskError | null>(null)
  const [going, setGoing] = useState(false)
  const past = useAnswer(going ? null : { delete: [rule.id] }, policyVersion, preview, 0) // of a rule that is gone nothing can be asked
  const remove = async () => {
    setGoing(true)
    try {
      const { document } = await desk.deleteRule(rule.id, rule.updatedAt)
      onDone()
      offer({ kind: 'deleted', rule, document })
    } catch (thrown) {
      setError(DeskError.from(thrown))
      setGoing(false)
    }
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
      {!going && <DeletePreview preview={past.data} error={past.error} />}
    </ConfirmDialog>
  )
}
