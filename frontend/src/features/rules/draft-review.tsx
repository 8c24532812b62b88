import { useAnswer } from '../../desk/queries'
import type { RuleChange, RuleForm } from '../../desk/types'
import { FindingList } from './finding-list'
import { byRule } from './findings'
import { NarrowerLine } from './narrower-line'
import { PreviewLine } from './preview-line'
import { thinkingMs, useAround } from './rules-context'

interface Props {
  /** The id that the rule has, or would have. */
  id: string
  /** The rule as it is written now; null while it is none. */
  form: RuleForm | null
  /** Takes another condition. */
  onSafe: (condition: string) => void
}

/** While a rule is written: what it would have changed, and what is odd about it. */
export function DraftReview({ id, form, onSafe }: Props) {
  const { policyVersion } = useAround()
  const change: [RuleChange] | null = form && [{ put: [{ ...form, id }] }]
  const past = useAnswer(thinkingMs, 'preview', change, policyVersion)
  const { data } = useAnswer(thinkingMs, 'lint', change, policyVersion)
  const all = byRule(data ?? [])
  const others = [...all.values()].flat().filter((finding) => finding.by === id && finding.ruleId !== id)
  return (
    <div>
      {form && <PreviewLine preview={past.data} error={past.error} />}
      {form && past.data && past.current && <NarrowerLine narrower={past.data.narrower} />}
      <FindingList findings={[...(all.get(id) ?? []), ...others]} own={id} onSafe={onSafe} />
    </div>
  )
}
