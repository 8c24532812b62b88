import type { PartVerdict } from '../../desk/types'
import { EffectBadge } from './effect-badge'
import { PartName } from './part-name'
import { RuleLink } from './rule-link'
import { useI18n } from './screen'
import css from './tester.module.css'

/** The parts of a call's line, each with what the rules say of it and the rule that decides. */
export function PartList({ parts }: { parts: readonly PartVerdict[] }) {
  const { t } = useI18n()
  return (
    <ol className={css.parts} aria-label={t('rules.parts')}>
      {parts.map(({ name, decision, rule }, i) => (
        <li key={i} className={css.outcome}>
          <EffectBadge effect={decision} />
          <PartName name={name} />
          {rule ? <RuleLink id={rule.id} /> : <span className={css.reason}>{t(decision === 'allow' ? 'rules.partNeedsNone' : 'rules.noneApplies')}</span>}
        </li>
      ))}
    </ol>
  )
}
