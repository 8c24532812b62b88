import type { Verdict } from '../../desk/types'
import { VirtualList } from '../../ui/virtual-list/virtual-list'
import { EffectBadge } from './effect-badge'
import { RuleLink } from './rule-link'
import { useAround } from './rules-context'
import { useI18n } from './screen'
import css from './tester.module.css'
import { whyText } from './trace-words'

type Step = Verdict['trace'][number]

const keyOf = (step: Step) => step.ruleId

/** Each rule in the order of judgement, and why it applied to the call or not. */
export function TraceList({ trace }: { trace: readonly Step[] }) {
  const { t } = useI18n()
  const { known } = useAround()
  const winner = trace.find(({ applies }) => applies)
  return (
    <div className={css.box} tabIndex={0} role="region" aria-label={t('rules.trace')}>
      <VirtualList label={t('rules.trace')} items={trace} keyOf={keyOf} estimate={34}>
        {(step) => (
          <div className={css.step} data-winner={step === winner}>
            <span className={css.said}>
              <span className={css.effect}>
                {known.has(step.ruleId) && <EffectBadge effect={known.get(step.ruleId)?.rule.effect ?? 'ask'} />}
              </span>
              <RuleLink id={step.ruleId} />
            </span>
            <span className={css.why}>{step === winner && step.why === 'applies' ? t('rules.why.winner') : whyText(t, step.why)}</span>
          </div>
        )}
      </VirtualList>
    </div>
  )
}
