import type { DeskError } from '../../desk/desk-error'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { useI18n } from './screen'

/** What comes of moving a rule: told to those who do not see it, and why it could not be. */
export function MoveNotice({ said, error }: { said: string; error: DeskError | null }) {
  const { t } = useI18n()
  return (
    <>
      <p className="visually-hidden" role="status">
        {said}
      </p>
      <Alert>{error && (error.code === 'lost_update' ? t('rules.moveLost') : errorText(t, error))}</Alert>
    </>
  )
}
