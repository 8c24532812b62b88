import type { RuleForm, Suggestion } from '../../desk/types'
import { Panel } from './panel'
import { useI18n } from './screen'
import { SuggestionRow } from './suggestion-row'
import css from './suggestions.module.css'

interface Props {
  suggestions: readonly Suggestion[]
  /** Opens a rule as a draft: it is looked at before it is saved. */
  onOpen: (form: RuleForm) => void
  onClose: () => void
}

/** Rules that would have given the person's own equal answers. */
export function Suggestions({ suggestions, onOpen, onClose }: Props) {
  const { t } = useI18n()
  return (
    <Panel title={t('rules.suggestions')} lead={t('rules.suggestionsLead')} onClose={onClose}>
      <ul className={css.list}>
        {suggestions.map((suggestion) => (
          <li key={JSON.stringify(suggestion.rule)}>
            <SuggestionRow
              suggestion={suggestion}
              onOpen={() => {
                onOpen(suggestion.rule)
              }}
            />
          </li>
        ))}
      </ul>
    </Panel>
  )
}
