import type { Finding } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import { Icon } from '../../ui/icon'
import css from './finding-list.module.css'
import { idleWords } from './finding-words'
import { RuleLink } from './rule-link'
import { useI18n } from './screen'

interface Props {
  findings: readonly Finding[]
  /** The id of a rule that is being written: it is called "this rule". */
  own?: string
}

const ofTwo = ['unreachable', 'duplicate', 'conflict'] as const
const kinds = [...ofTwo, 'no_star', 'name_and_pattern', 'allows_all', 'expired'] as const
const shownAtOnce = 4

/** What is odd about a rule, in our words; the desk's own where we have none. */
export function FindingList({ findings, own = '' }: Props) {
  const { t } = useI18n()
  if (findings.length === 0) return null
  const more = findings.length - shownAtOnce
  return (
    <ul className={css.list}>
      {findings.slice(0, shownAtOnce).map((finding) => (
        <li key={`${finding.ruleId} ${finding.kind} ${finding.by ?? ''}`} className={css.finding}>
          <Icon name="warning" />
          <span>
            <Words finding={finding} own={own} />
          </span>
        </li>
      ))}
      {more > 0 && <li className={css.finding}>{t('rules.lintMore', { count: more })}</li>}
    </ul>
  )
}

function Words({ finding: { kind, by, ruleId, message }, own }: { finding: Finding; own: string }) {
  const { tx } = useI18n()
  const about = ofTwo.find((k) => k === kind)
  if (about && own !== '' && by === own) return tx(`rules.lintBy.${about}`, { rule: <RuleLink id={ruleId} /> })
  const idle = kind === 'unreachable' && by === null ? idleWords(message) : null
  if (idle) return tx(idle.key, { issue: <AgentText as="prose">{idle.issue}</AgentText> })
  const known = kinds.find((k) => k === kind)
  if (!known || (about && by === null)) return <AgentText as="prose">{message}</AgentText>
  return tx(`rules.lint.${known}`, { rule: by !== null && <RuleLink id={by} /> })
}
