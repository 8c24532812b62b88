import type { MadeCall, Reach, ReachRule } from '../../desk/types'
import { useCodeWords } from '../../i18n/use-code-words'
import { AgentText } from '../../ui/agent-text'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { MadeCallText } from './made-call'
import { RuleLink } from './rule-link'
import css from './reach.module.css'
import { useI18n } from './screen'

interface Props {
  reach: Reach
  /** It answers what is written now. */
  current: boolean
  onTry: (call: MadeCall) => void
}

const tones = { yes: 'care', no: 'allow', undecided: 'plain' } as const
const icons = { yes: 'warning', no: 'allow', undecided: 'ask' } as const

/** Which rules could ever let such calls pass: those that could, those of which it is not known, and the others on demand. */
export function ReachView({ reach: { answer, rules, total }, current, onTry }: Props) {
  const { t } = useI18n()
  const open = rules.filter((rule) => rule.answer !== 'no')
  const others = rules.filter((rule) => rule.answer === 'no')
  return (
    <div className={css.view} aria-busy={!current}>
      <p className={css.outcome} role="status">
        {current ? (
          <>
            <Badge icon={icons[answer]} tone={tones[answer]}>
              {t(`rules.reach.${answer}`)}
            </Badge>{' '}
            {t(`rules.reachSum.${answer}`)}
          </>
        ) : (
          t('common.loading')
        )}
      </p>
      {open.length > 0 && <Rows rules={open} onTry={onTry} />}
      {others.length > 0 && (
        <details className={css.others}>
          <summary>{t('rules.reachOthers', { count: total - open.length })}</summary>
          <Rows rules={others} onTry={onTry} />
        </details>
      )}
    </div>
  )
}

function Rows({ rules, onTry }: { rules: readonly ReachRule[]; onTry: (call: MadeCall) => void }) {
  const { t } = useI18n()
  return (
    <ul className={css.list}>
      {rules.map((rule) => (
        <li key={rule.ruleId} className={css.row}>
          <div className={css.what}>
            <RuleLink id={rule.ruleId} />
            <p>
              <Why rule={rule} />
            </p>
            {rule.example && <MadeCallText call={rule.example} />}
          </div>
          {rule.example && <TryButton call={rule.example} label={t('rules.reachTry')} onTry={onTry} />}
        </li>
      ))}
    </ul>
  )
}

function TryButton({ call, label, onTry }: { call: MadeCall; label: string; onTry: (call: MadeCall) => void }) {
  return (
    <Button
      small
      onClick={() => {
        onTry(call)
      }}
    >
      {label}
    </Button>
  )
}

/** The answer in our words; in the desk's own where we have none. */
function Why({ rule }: { rule: ReachRule }) {
  const { shown } = useCodeWords('rules.reachWhy')
  return shown({ ...rule, text: rule.message }, (text) => <AgentText as="prose">{text}</AgentText>, { rule: <RuleLink id={rule.by ?? rule.ruleId} /> })
}
