import { useId } from 'react'
import { errorText } from '../../../i18n/error-text'
import { useI18n } from '../../../i18n/i18n'
import { Button } from '../../../ui/button'
import { Field } from '../../../ui/field'
import { Notice } from '../../../ui/notice'
import { FailureNotice } from '../answer/failure-notice'
import type { Approval } from '../answer/use-approval'
import { takeFocus } from '../dialog/take-focus'
import { RuleCandidate } from './rule-candidate'
import css from './rule-composer.module.css'
import { RulePast } from './rule-past'

/** A rule for calls like this one: which of those that match it, and what it would have done in the past. */
export function RuleComposer({ approval }: { approval: Approval }) {
  const { t } = useI18n()
  const id = useId()
  const { composer, failure, busy, undoUntil } = approval
  const frozen = busy || undoUntil !== null // what is shown is what is saved
  const { candidates, chosen, choose, error } = composer
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
      {candidates !== null && candidates.length > 0 && (
        <>
          <fieldset ref={showAll} className={css.candidates} disabled={frozen}>
            <legend className="visually-hidden">{t('approval.ruleWhich')}</legend>
            {candidates.map((offer, i) => (
              <RuleCandidate
                // They have no name of their own, and keep their order.
                key={i}
                offer={offer}
                name={id}
                chosen={i === chosen}
                onChoose={() => {
                  choose(i)
                }}
              >
                {i === chosen && <RulePast preview={composer.preview} failed={error !== null} />}
              </RuleCandidate>
            ))}
          </fieldset>
          <Field
            lines={1}
            label={t('approval.ruleNote')}
            placeholder={t('approval.ruleNoteHint')}
            value={composer.note}
            readOnly={frozen}
            onChange={(e: { currentTarget: { value: string } }) => {
              composer.setNote(e.currentTarget.value)
            }}
          />
        </>
      )}
    </section>
  )
}

/** The composer is higher once there is something to choose. */
function showAll(candidates: HTMLElement | null): void {
  candidates?.closest('section')?.scrollIntoView({ block: 'start' })
}
