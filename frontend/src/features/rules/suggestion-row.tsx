import { useAnswer } from '../../desk/queries'
import type { Suggestion } from '../../desk/types'
import { useCoverageWords } from '../../i18n/use-coverage-words'
import { quote } from '../../ui/quote'
import { OfferRow } from './offer-row'
import { PreviewLine } from './preview-line'
import { useAround } from './rules-context'
import { useI18n } from './screen'

/** A rule that the person's answers ask for: why, and what it would have changed. */
export function SuggestionRow({ suggestion, onOpen }: { suggestion: Suggestion; onOpen: () => void }) {
  const { tx } = useI18n()
  const { whole } = useCoverageWords(quote)
  const { policyVersion } = useAround()
  const { rule, answers, covers } = suggestion
  const past = useAnswer(0, 'preview', [{ put: [rule] }], policyVersion)
  const answered = rule.effect === 'deny' ? 'declined' : 'approved'
  return (
    <OfferRow offer={suggestion} words={tx(`rules.suggest.${answered}`, { count: answers, tools: whole(covers) })} onOpen={onOpen}>
      <PreviewLine preview={past.data} error={past.error} />
    </OfferRow>
  )
}
