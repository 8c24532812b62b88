import { write } from '../../i18n/format'
import { AgentText } from '../../ui/agent-text'
import { anyWord } from './rule-draft'
import { useAround } from './rules-context'
import css from './rule-link.module.css'
import { useI18n } from './screen'

/** A rule by its place and what it is about, and the way to it in the list. */
export function RuleLink({ id }: { id: string }) {
  const { t, language } = useI18n()
  const { known, go } = useAround()
  const found = known.get(id)
  if (!found) return <AgentText>{id}</AgentText>
  const { rule, place } = found
  return (
    <a
      className={css.link}
      href={`#/rules?rule=${encodeURIComponent(id)}`}
      onClick={(event) => {
        event.preventDefault() // the address may name it already
        go(id)
      }}
    >
      {write(place, language)}. {rule.serverId === null ? t('rules.anyServer') : <AgentText>{rule.serverId}</AgentText>}
      {' · '}
      {rule.toolName === null && rule.toolPattern === null ? (
        t(anyWord(rule))
      ) : (
        <AgentText>{rule.toolName ?? rule.toolPattern ?? ''}</AgentText>
      )}
    </a>
  )
}
