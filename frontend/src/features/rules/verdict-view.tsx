import type { Verdict } from '../../desk/types'
import { useCodeWords } from '../../i18n/use-code-words'
import { AgentText } from '../../ui/agent-text'
import { Badge } from '../../ui/badge'
import { EffectBadge } from './effect-badge'
import { PartList } from './part-list'
import { RuleLink } from './rule-link'
import { useAround } from './rules-context'
import { useI18n } from './screen'
import css from './tester.module.css'
import { TraceList } from './trace-list'

const riskTones = { low: 'allow', medium: 'care', high: 'deny' } as const

interface Props {
  verdict: Verdict
  /** It is of the call as it is written now; the outcome of another is not told. */
  current: boolean
}

/** What the rules say of a call: the outcome, the rule that decides, and why each other does not. */
export function VerdictView({ verdict, current }: Props) {
  const { t, tx } = useI18n()
  const words = useCodeWords('riskReason')
  const why = useCodeWords('why')
  const { decision, rule, code, params, reason, risk, riskReasons, parts, trace } = verdict
  const { known } = useAround()
  // Of a rule, its badges say more than the desk's sentence; only the note of one that denies is news.
  const byTable = rule === null && isOfTable(code)
  const told = rule ? known.get(rule.id)?.rule.note === reason : code !== 'no_rule'
  return (
    <div className={css.verdict} aria-busy={!current}>
      <div className={css.outcome} role="status">
        {current && <EffectBadge effect={decision} />}
        <p>{!current ? t('common.loading') : rule ? tx('rules.decides', { rule: <RuleLink id={rule.id} /> }) : t(byTable ? 'rules.tableDecides' : 'rules.noneApplies')}</p>
      </div>
      {told && reason !== '' && (
        <p className={css.reason}>{why.shown({ code, params, text: reason }, (text) => <AgentText as="prose">{text}</AgentText>)}</p>
      )}
      <div className={css.outcome}>
        <Badge icon={risk} tone={riskTones[risk]}>
          {t(`risk.${risk}`)}
        </Badge>
        {riskReasons.length > 0 && (
          <p className={css.reason}>{words.list(riskReasons, (text) => <AgentText>{text}</AgentText>)}</p>
        )}
      </div>
      {parts.length > 1 && <PartList parts={parts} />}
      {trace.length > 0 && <TraceList trace={trace} parts={parts} />}
    </div>
  )
}

/** Whether the table of permissions of the server refuses the call: then no rule was asked. */
function isOfTable(code: Verdict['code']): boolean {
  return code !== null && (code.startsWith('requires_') || code === 'tool_not_registered')
}
