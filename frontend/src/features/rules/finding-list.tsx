import type { Finding } from '../../desk/types'
import { useCodeWords } from '../../i18n/use-code-words'
import { AgentText } from '../../ui/agent-text'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import css from './finding-list.module.css'
import { RuleLink } from './rule-link'
import { useI18n } from './screen'

interface Props {
  findings: readonly Finding[]
  /** The id of a rule that is being written: it is called "this rule". */
  own?: string
  /** Takes a condition that holds what slips by. */
  onSafe?: (condition: string) => void
}

const ofTwo = ['unreachable', 'duplicate', 'conflict'] as const
const shownAtOnce = 4

/** What is odd about a rule, in our words; the desk's own where we have none. */
export function FindingList({ findings, own = '', onSafe }: Props) {
  const { t } = useI18n()
  if (findings.length === 0) return null
  const more = findings.length - shownAtOnce
  return (
    <ul className={css.list}>
      {findings.slice(0, shownAtOnce).map((finding) => (
        <li key={`${finding.ruleId} ${finding.kind} ${finding.by ?? ''}`} className={css.finding}>
          <Icon name="warning" />
          <span>
            <Words finding={finding} own={own} />{' '}
            {onSafe && finding.kind === 'slips_by' && finding.ruleId === (own || finding.ruleId) && <SafeButton finding={finding} onSafe={onSafe} />}
          </span>
        </li>
      ))}
      {more > 0 && <li className={css.finding}>{t('rules.lintMore', { count: more })}</li>}
    </ul>
  )
}

function SafeButton({ finding: { params }, onSafe }: { finding: Finding; onSafe: (condition: string) => void }) {
  const { t } = useI18n()
  return (
    <Button
      look="quiet"
      small
      onClick={() => {
        onSafe(String(params.safe))
      }}
    >
      {t('rules.slipsSafe')}
    </Button>
  )
}

function Words({ finding, own }: { finding: Finding; own: string }) {
  const { tx } = useI18n()
  const { shown } = useCodeWords('rules.lint')
  const why = useCodeWords('why')
  const { kind, by, ruleId, params } = finding
  const about = ofTwo.find((k) => k === kind)
  if (about && own !== '' && by === own) return tx(`rules.lintBy.${about}`, { rule: <RuleLink id={ruleId} /> })
  const issue = 'issue' in params && why.shown({ code: String(params.issue), params, text: '' }, quoted)
  return shown({ ...finding, text: finding.message }, quoted, { rule: by !== null && <RuleLink id={by} />, issue })
}

const quoted = (text: string) => <AgentText as="prose">{text}</AgentText>
