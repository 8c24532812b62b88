import type { HistoryClient, HistoryEntry, RuleForm } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import { EffectBadge } from './effect-badge'
import { HistoryRule } from './history-rule'
import css from './history.module.css'
import { useI18n } from './screen'

const names: Record<HistoryClient, string> = { claude: 'Claude Code', codex: 'Codex', gemini: 'Gemini CLI', opencode: 'opencode' }

const unsafe = ['passes_high', 'any_line', 'any_input', 'any_tool', 'slips', 'never_asks', 'only_offered', 'untranslated'] as const

interface Props {
  entries: readonly HistoryEntry[]
  onOpen: (form: RuleForm) => void
}

/** The agents' own permission lists: what is unsafe about each entry, and the rule that says the same safely. */
export function HistoryEntries({ entries, onOpen }: Props) {
  const { t } = useI18n()
  return (
    <>
      <h3 className={css.title}>{t('rules.pastLists')}</h3>
      <p className={css.soft}>{t('rules.pastListsLead')}</p>
      <ul className={css.list}>
        {entries.map((entry) => (
          <li key={`${entry.client} ${entry.effect} ${entry.text}`}>
            <HistoryRule rule={entry.rule} onOpen={onOpen}>
              <Entry entry={entry} />
            </HistoryRule>
          </li>
        ))}
      </ul>
    </>
  )
}

function Entry({ entry: { client, effect, text, files, unsafe } }: { entry: HistoryEntry }) {
  const { tx } = useI18n()
  return (
    <>
      <p className={css.entry}>
        <EffectBadge effect={effect} /> <span>{names[client]}</span> <AgentText>{text}</AgentText>
      </p>
      {unsafe.map((why, i) => (
        <p key={i} className={css.care}>
          <Why of={why} />
        </p>
      ))}
      <p className={css.soft}>
        {tx(files.length > 1 ? 'rules.pastFiles' : 'rules.pastFile', { file: <AgentText as="path">{files[0] ?? ''}</AgentText>, more: files.length - 1 })}
      </p>
    </>
  )
}

/** Why an entry is not what it seems to be, in the person's language; the desk's English where there are no words for it. */
function Why({ of: { code, params, text } }: { of: HistoryEntry['unsafe'][number] }) {
  const { tx } = useI18n()
  const known = unsafe.find((c) => c === code)
  return known ? tx(`rules.unsafe.${known}`, { line: <AgentText>{String(params.line ?? '')}</AgentText> }) : text
}
