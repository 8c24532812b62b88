import type { Rule } from '../../desk/types'
import { Badge } from '../../ui/badge'
import { Check } from '../../ui/check'
import css from './import.module.css'
import { RuleBadges } from './rule-badges'
import { RuleLimits } from './rule-limits'
import { useI18n } from './screen'

export interface ImportStep {
  kind: 'added' | 'changed' | 'removed'
  rule: Rule
  /** Of a changed rule: as it is now. */
  before: Rule | null
  /** After it a call may run unasked that could not before. */
  allows: boolean
}

interface Props {
  step: ImportStep
  accepted: boolean
  /** It cannot be ticked for the moment. */
  frozen: boolean
  onAccept: (on: boolean) => void
}

const signs = {
  added: { icon: 'plus', tone: 'allow' },
  changed: { icon: 'edit', tone: 'ask' },
  removed: { icon: 'trash', tone: 'deny' },
} as const

/** One rule that an import would add, change or remove. */
export function ImportRow({ step: { kind, rule, before, allows }, accepted, frozen, onAccept }: Props) {
  const { t } = useI18n()
  return (
    <div className={css.step} data-allows={allows}>
      <Badge {...signs[kind]}>{t(`rules.import.${kind}`)}</Badge>
      <div className={css.rules}>
        {before && (
          <div>
            <span className={css.word}>{t('rules.importBefore')}</span>
            <Shown rule={before} />
          </div>
        )}
        <div>
          {before && <span className={css.word}>{t('rules.importAfter')}</span>}
          <Shown rule={rule} />
        </div>
        {allows && <Check label={t('rules.importAccept')} checked={accepted} disabled={frozen} onChange={onAccept} />}
      </div>
    </div>
  )
}

function Shown({ rule }: { rule: Rule }) {
  return (
    <>
      <RuleBadges rule={rule} />
      <RuleLimits rule={rule} foreign />
      {rule.note !== '' && <p className={css.note}>{rule.note}</p>}
    </>
  )
}
