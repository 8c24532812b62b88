import type { Desk } from '../../desk/desk'
import type { Finding, Preview, RuleChange, RuleForm } from '../../desk/types'
import { FindingList } from './finding-list'
import { byRule } from './findings'
import { PreviewLine } from './preview-line'
import { useAround } from './rules-context'
import { useAnswer } from './use-answer'

interface Props {
  /** The id that the rule has, or would have. */
  id: string
  /** The rule as it is written now; null while it is none. */
  form: RuleForm | null
}

const preview = (desk: Desk, change: RuleChange): Promise<Preview> => desk.preview(change)
const lint = (desk: Desk, change: RuleChange): Promise<Finding[]> => desk.lint(change)

/** While a rule is written: what it would have changed, and what is odd about it. */
export function DraftReview({ id, form }: Props) {
  const { policyVersion } = useAround()
  const change = form && { put: [{ ...form, id }] }
  const past = useAnswer(change, policyVersion, preview)
  const { data } = useAnswer(change, policyVersion, lint)
  const all = byRule(data ?? [])
  const others = [...all.values()].flat().filter((finding) => finding.by === id && finding.ruleId !== id)
  return (
    <div>
      {form && <PreviewLine preview={past.data} error={past.error} />}
      <FindingList findings={[...(all.get(id) ?? []), ...others]} own={id} />
    </div>
  )
}
