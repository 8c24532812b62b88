import type { PartVerdict, Verdict } from '../../desk/types'
import { useCodeWords } from '../../i18n/use-code-words'
import { AgentText } from '../../ui/agent-text'
import { VirtualList } from '../../ui/virtual-list/virtual-list'
import { EffectBadge } from './effect-badge'
import { PartName } from './part-name'
import { RuleLink } from './rule-link'
import { useAround } from './rules-context'
import { useI18n } from './screen'
import css from './tester.module.css'

type Step = Verdict['trace'][number]

const keyOf = (step: Step) => `${step.ruleId} ${step.part}`

/** Whether a rule decides about the call or the part that the row is of. */
const decides = (step: Step) => step.applies && step.code !== 'earlier_rule_decided'

/** Each rule in the order of judgement, and why it applied to the call, or a part of its line, or not. */
export function TraceList({ trace, parts }: { trace: readonly Step[]; parts: readonly PartVerdict[] }) {
  const { t } = useI18n()
  const words = useCodeWords('rules.why')
  const { known } = useAround()
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
            <span className={css.why}>
              {decides(step) && step.code === 'applies' ? t('rules.decidesHere') : words.shown({ ...step, text: step.why }, (text) => <AgentText as="prose">{text}</AgentText>)}
            </span>
          </div>
        )}
      </VirtualList>
    </div>
  )
}
