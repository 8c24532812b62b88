import { Fragment, type ReactNode } from 'react'
import { useAnswer } from '../../desk/queries'
import type { RuleForm, Suggestion } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import { Button } from '../../ui/button'
import { PreviewLine } from './preview-line'
import { RuleBadges } from './rule-badges'
import { useAround } from './rules-context'
import { useI18n } from './screen'
import css from './suggestions.module.css'

const named = 4

/** A rule that the person's answers ask for: why, and what it would have changed. */
export function SuggestionRow({ suggestion: { rule, answers, tools }, onOpen }: { suggestion: Suggestion; onOpen: () => void }) {
  const { t, tx } = useI18n()
  const { policyVersion } = useAround()
  const past = useAnswer(0, 'preview', [{ put: [rule] }], policyVersion)
  const condition = rule.condition ?? null
  return (
    <div className={css.suggestion}>
      <div className={css.what}>
        <p>{tx(`rules.suggest.${answered(rule)}`, { count: answers, tools: <Names of={tools} /> })}</p>
        <RuleBadges rule={rule} />
        {condition !== null && (
          <p className={css.condition}>{tx('rules.onlyIf', { condition: <AgentText as="path">{condition}</AgentText> })}</p>
        )}
        <PreviewLine preview={past.data} error={past.error} />
      </div>
      <Button small onClick={onOpen}>
        {t('rules.suggestOpen')}
      </Button>
    </div>
  )
}

/** What the person did: with a condition, to this one call; another call of the tool may have had another answer. */
function answered({ effect, condition }: RuleForm): 'declined' | 'same' | 'approved' {
  if (effect === 'deny') return 'declined'
  return (condition ?? null) === null ? 'approved' : 'same'
}

/** The first few names, as a list of the person's language. */
function Names({ of }: { of: readonly string[] }): ReactNode {
  const { t, language } = useI18n()
  const shown = of.slice(0, named)
  const rest = of.length - shown.length
  const items = rest > 0 ? [...shown, t('rules.suggestMore', { count: rest })] : shown
  return new Intl.ListFormat(language, { type: 'unit' }).formatToParts(items).map(({ type, value }, i) => (
    <Fragment key={i}>{type === 'element' && shown.includes(value) ? <AgentText>{value}</AgentText> : value}</Fragment>
  ))
}
