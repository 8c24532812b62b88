import type { PartVerdict, Verdict } from '../../desk/types'
import { VirtualList } from '../../ui/virtual-list/virtual-list'
import { useLimitWords } from '../../i18n/use-limit-words'
import { EffectBadge } from './effect-badge'
import { PartName } from './part-name'
import { RuleLink } from './rule-link'
import { useAround } from './rules-context'
import { useI18n } from './screen'
import css from './tester.module.css'
import { later, whyText } from './trace-words'

type Step = Verdict['trace'][number]

const keyOf = (step: Step) => `${step.ruleId} ${step.part}`

/** Whether a rule decides about the call or the part that the row is of. */
const decides = (step: Step) => step.applies && step.why !== later

/** Each rule in the order of judgement, and why it applied to the call, or a part of its line, or not. */
export function TraceList({ trace, parts }: { trace: readonly Step[]; parts: readonly PartVerdict[] }) {
  const { t } = useI18n()
  const { known } = useAround()
  const { most } = useLimitWords((id) => id)
  const why = (step: Step) => {
    if (step.limit) return t('rules.why.limit', { message: most(step.limit) })
    return decides(step) && step.why === 'applies' ? t('rules.why.winner') : whyText(t, step.why)
  }
  return (
    <div className={css.box} tabIndex={0} role="region" aria-label={t('rules.trace')}>
      <VirtualList label={t('rules.trace')} items={trace} keyOf={keyOf} estimate={34}>
        {(step) => (
          <div className={css.step} data-winner={decides(step)}>
            <span className={css.said}>
              <span className={css.effect}>
                {known.has(step.ruleId) && <EffectBadge effect={known.get(step.ruleId)?.rule.effect ?? 'ask'} />}
              </span>
              <RuleLink id={step.ruleId} />
              {step.part !== null && <PartName name={parts[step.part]?.name ?? ''} />}
            </span>
            <span className={css.why}>{why(step)}</span>
          </div>
        )}
      </VirtualList>
    </div>
  )
}
