import type { History, HistoryCall, RuleForm } from '../../desk/types'
import { useCoverageWords } from '../../i18n/use-coverage-words'
import { useCodeWords } from '../../i18n/use-code-words'
import { AgentText } from '../../ui/agent-text'
import { Empty } from '../../ui/empty'
import { Notice } from '../../ui/notice'
import { HistoryEntries } from './history-entries'
import { HistoryRule } from './history-rule'
import css from './history.module.css'
import { useI18n } from './screen'

interface Props {
  result: History
  onOpen: (form: RuleForm) => void
}

/** What a history says: how many calls would have asked, the rules that would have answered them, and what is dangerous. */
export function HistoryResult({ result, onOpen }: Props) {
  const { t, tx } = useI18n()
  const coverage = useCoverageWords((text, as) => <AgentText as={as ?? 'name'}>{text}</AgentText>)
  const { calls, rules, lists, unread, asking, full } = result
  const dangerous = asking.filter(({ risk }) => risk === 'high')
  return (
    <div className={css.result}>
      {calls === 0 ? <Empty title={t('rules.pastNone')}>{t('rules.pastNoneLead')}</Empty> : <Figures of={result} />}
      {calls > 0 && <h3 className={css.title}>{rules.length > 0 ? t('rules.pastRules', { count: rules.length }) : t('rules.pastNoRules')}</h3>}
      <ul className={css.list}>
        {rules.map(({ rule, covers, calls, examples }) => (
          <li key={JSON.stringify(rule)}>
            <HistoryRule rule={rule} onOpen={onOpen}>
              <p className={css.covers}>{coverage.whole(covers)}</p>
              <p>{tx('rules.pastRuleCalls', { count: calls, examples: <Examples of={examples} /> })}</p>
            </HistoryRule>
          </li>
        ))}
      </ul>
      {full && <Notice tone="plain">{t('rules.pastFull')}</Notice>}
      {dangerous.length > 0 && (
        <>
          <h3 className={css.title}>{t('rules.pastDangerous')}</h3>
          <ul className={css.list}>
            {dangerous.map((call, i) => (
              <li key={i}>
                <Dangerous call={call} />
              </li>
            ))}
          </ul>
        </>
      )}
      {lists.length > 0 && <HistoryEntries entries={lists} onOpen={onOpen} />}
      {unread.map(({ kind, count, first }) => (
        <p key={kind} className={css.soft}>
          {tx(`rules.pastUnread.${unreadKind(kind)}`, { count, place: <AgentText as="path">{first}</AgentText> })}
        </p>
      ))}
    </div>
  )
}

function unreadKind(kind: string): 'line' | 'long' | 'file' | 'folder' | 'link' | 'deep' {
  return kind === 'line' || kind === 'long' || kind === 'folder' || kind === 'link' || kind === 'deep' ? kind : 'file'
}

/** The counts, each with its word. */
function Figures({ of: { calls, asked, high, declined, left, first, last } }: { of: History }) {
  const { t, language } = useI18n()
  const number = new Intl.NumberFormat(language)
  const day = (at: string | null) => (at === null ? '' : new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(new Date(at)))
  const figures = [
    ['rules.pastCalls', calls],
    ['rules.pastAsked', asked],
    ['rules.pastHigh', high],
    ['rules.pastDeclined', declined],
    ['rules.pastLeft', left],
  ] as const
  return (
    <>
      <dl className={css.figures}>
        {figures.map(([key, n]) => (
          <div key={key} className={css.figure}>
            <dt>{t(key)}</dt>
            <dd>{number.format(n)}</dd>
          </div>
        ))}
      </dl>
      {first !== null && <p className={css.soft}>{t('rules.pastSpan', { from: day(first), to: day(last) })}</p>}
    </>
  )
}

/** A few calls, in one line. */
function Examples({ of }: { of: readonly string[] }) {
  return of.map((example, i) => (
    <span key={example}>
      {i > 0 && ' · '}
      <AgentText>{example}</AgentText>
    </span>
  ))
}

/** A call that no rule should answer, and why. */
function Dangerous({ call: { line, count, riskReasons, cwd, serverId } }: { call: HistoryCall }) {
  const { t, tx } = useI18n()
  const words = useCodeWords('riskReason')
  return (
    <div className={css.what}>
      <p>
        {tx('rules.pastTimes', { count, line: <AgentText>{line}</AgentText> })}
        {serverId !== null && <> {tx('rules.server', { server: <AgentText>{serverId}</AgentText> })}</>}
      </p>
      <p className={css.care}>{words.list(riskReasons, (text) => <AgentText>{text}</AgentText>)}</p>
      {cwd !== null && <p className={css.soft}>{t('rules.pastIn', { folder: cwd })}</p>}
    </div>
  )
}
