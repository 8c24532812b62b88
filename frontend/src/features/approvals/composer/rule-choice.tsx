import { useId } from 'react'
import { useI18n } from '../../../i18n/i18n'
import { Field } from '../../../ui/field'
import { RuleCandidate } from './rule-candidate'
import css from './rule-choice.module.css'
import { RulePast } from './rule-past'
import { showAll } from './show-all'
import type { ChoiceProps } from './use-composer'

/** The rules that can be made for a call, one of which is chosen, and its note. */
export function RuleChoice({ composer, candidates, frozen }: ChoiceProps) {
  const { t } = useI18n()
  const id = useId()
  const { chosen, choose, error } = composer
  return (
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
  )
}
