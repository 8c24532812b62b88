import { useId } from 'react'
import { errorText } from '../../../i18n/error-text'
import { useI18n } from '../../../i18n/i18n'
import { Button } from '../../../ui/button'
import { Notice } from '../../../ui/notice'
import { FailureNotice } from '../answer/failure-notice'
import type { Approval } from '../answer/use-approval'
import { takeFocus } from '../dialog/take-focus'
import css from './rule-composer.module.css'
import { showAll } from './show-all'

/** A rule for calls like this one: which of those that match it, and what it would have done in the past. */
export function RuleComposer({ approval }: { approval: Approval }) {
  const { t } = useI18n()
  const id = useId()
  const { composer, failure, busy, undoUntil } = approval
  const { Choice, candidates, error } = composer
  return (
    <section className={css.composer} aria-labelledby={`${id}-title`}>
      <h3 className={css.title} id={`${id}-title`} tabIndex={-1} ref={takeFocus}>
        {t('approval.ruleTitle')}
      </h3>
      <p className={css.lead}>{t('approval.ruleLead')}</p>
      <FailureNotice failure={failure} />
      {error && (
        <Notice tone="deny" role="alert">
          <p>{errorText(t, error)}</p>
          <Button small onClick={composer.retry}>
            {t('common.retry')}
          </Button>
        </Notice>
      )}
      {candidates === null && !error && <p role="status">{t('common.loading')}</p>}
      {candidates?.length === 0 && <p ref={showAll}>{t('approval.ruleNone')}</p>}
      {Choice !== null && candidates !== null && candidates.length > 0 && (
        <Choice composer={composer} candidates={candidates} frozen={busy || undoUntil !== null} />
      )}
    </section>
  )
}
