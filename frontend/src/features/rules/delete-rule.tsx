import { useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'
import type { Rule } from '../../desk/types'
import { errorText } from '../../i18n/error-text'
import { useI18n } from '../../i18n/i18n'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { RuleBadges } from './rule-badges'

interface Props {
  rule: Rule
  onDone: () => void
  onChanged: () => Promise<void>
}

/** Asks before a rule goes, and shows which. */
export function DeleteRule({ rule, onDone, onChanged }: Props) {
  const { t } = useI18n()
  const desk = useDesk()
  const [error, setError] = useState<DeskError | null>(null)
  const remove = async () => {
    try {
      await desk.deleteRule(rule.id, rule.updatedAt)
      onDone()
    } catch (thrown) {
      setError(DeskError.from(thrown))
    }
    await onChanged()
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
    </ConfirmDialog>
  )
}
