import { NewRuleForm } from './new-rule-form'
import type { RuleDraft } from './rule-draft'

/** A new rule that is being written. */
export interface NewRule {
  key: number
  start: RuleDraft
}

interface Props {
  drafts: readonly NewRule[]
  /** back: the focus was here, or is nowhere that it is needed. */
  onClose: (key: number, back: boolean) => void
}

/** The new rules that are being written: one form each. */
export function NewRules({ drafts, onClose }: Props) {
  return drafts.map(({ key, start }) => (
    <NewRuleForm
      key={key}
      formKey={`new ${String(key)}`}
      start={start}
      onClose={(back) => {
        onClose(key, back)
      }}
    />
  ))
}
