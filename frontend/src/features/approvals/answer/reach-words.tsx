import type { PendingCall, Scope } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { useCoverageWords } from '../../../i18n/use-coverage-words'
import { quote } from '../../../ui/quote'
import { coverageOf, type Reach } from './reach'
import css from './reach-choice.module.css'

/** What an approval of a scope is for, in a few words. */
export function ScopeName({ call, scope }: { call: PendingCall; scope: Scope }) {
  const { t } = useI18n()
  const { short } = useCoverageWords(quote)
  const coverage = coverageOf(call, scope)
  return coverage ? short(coverage) : t('approval.scope.once')
}

/** What an approval of wider reach lets pass, in one sentence; nothing for one call. */
export function ReachWords({ call, reach }: { call: PendingCall; reach: Reach }) {
  const { t, tx } = useI18n()
  const { whole } = useCoverageWords(quote)
  const coverage = coverageOf(call, reach.scope)
  if (!coverage) return null
  return (
    <p className={css.words}>
      {tx('approval.wider', { what: whole(coverage) })} {t(coverage.params.maxRisk === 'low' ? 'approval.wider.low' : 'approval.wider.medium')}
    </p>
  )
}
