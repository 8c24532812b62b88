import { errorText } from '../../../i18n/error-text'
import { useI18n } from '../../../i18n/i18n'
import { Notice } from '../../../ui/notice'
import type { Failure } from './use-sending'

/** What went wrong, in words. What is wrong with a field stands at the field. */
export function FailureNotice({ failure }: { failure: Failure | null }) {
  const { t } = useI18n()
  if (failure === null || failure.error.field === 'resumeData') return null
  return (
    <Notice tone="deny" role="alert">
      {failure.ruleSaved && <p>{t('approval.ruleSavedOnly')}</p>}
      <p>{errorText(t, failure.error)}</p>
    </Notice>
  )
}
