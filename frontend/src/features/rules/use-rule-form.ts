import { useEffect, useRef, useState, type KeyboardEvent, type RefObject, type SubmitEvent } from 'react'
import { DeskError } from '../../desk/desk-error'
import type { Rule, RuleForm } from '../../desk/types'
import { errorText } from '../../i18n/error-text'
import { useKept } from '../../ui/use-kept'
import { formOf, rebased, type RuleDraft } from './rule-draft'
import { useI18n } from './screen'

interface Options {
  /** Of the form, among those that are open. */
  formKey: string
  seen: Rule | null
  start: RuleDraft
  onSave: (form: RuleForm) => Promise<void>
  onCancel: () => void
}

export interface RuleWriting {
  element: RefObject<HTMLFormElement | null>
  draft: RuleDraft
  change: (part: Partial<RuleDraft>) => void
  /** The rule as it is written now; null while it is none. */
  form: RuleForm | null
  busy: boolean
  /** What is wrong with each field. */
  atField: Partial<Record<string, string>>
  /** What is wrong with none of them, in words. */
  elsewhere: string
  onSubmit: (event: SubmitEvent) => void
  onKeyDown: (event: KeyboardEvent) => void
}

const fields = ['serverId', 'method', 'toolName', 'toolPattern', 'priority', 'note', 'condition', 'expiresAt']

/** A rule being written. Enter saves, Escape puts back what was; what the desk refuses is not lost. */
export function useRuleForm({ formKey, seen, start, onSave, onCancel }: Options): RuleWriting {
  const { t } = useI18n()
  const element = useRef<HTMLFormElement>(null)
  const [first] = useState(start)
  const [draft, setDraft] = useKept(`rule ${formKey}`, '', first)
  const [error, setError] = useState<DeskError | null>(null)
  const [busy, setBusy] = useState(false)
  const began = useRef<Element | null>(null)
  const [base, setBase] = useState(seen)
  if (seen !== base) {
    setBase(seen)
    if (seen && base) setDraft(rebased(draft, base, seen))
  }
  const form = formOf(draft, seen)
  useEffect(() => {
    const at = document.activeElement
    if (!error || (at !== document.body && element.current?.contains(at) !== true)) return // they went on elsewhere
    const to = element.current?.querySelector('[aria-invalid=true]') ?? began.current
    if (to instanceof HTMLElement) to.focus()
  }, [error])
  const save = async () => {
    if (typeof form === 'string') {
      setError(
        new DeskError({
          code: 'invalid',
          field: form,
          message: t(form === 'priority' ? 'rules.formPriorityError' : 'rules.formExpiresError'),
        }),
      )
      return
    }
    began.current = document.activeElement // what cannot be used while it is saved loses the focus
    setBusy(true)
    setError(null)
    try {
      await onSave(form)
    } catch (thrown) {
      setError(DeskError.from(thrown))
      setBusy(false)
    }
  }
  const field = error?.field !== undefined && fields.includes(error.field) ? error.field : null
  return {
    element,
    draft,
    change: (part) => {
      setDraft({ ...draft, ...part })
    },
    form: typeof form === 'string' ? null : form,
    busy,
    atField: error && field !== null ? { [field]: error.message } : {},
    elsewhere:
      error && field === null
        ? error.code === 'lost_update'
          ? t('rules.lost')
          : error.code === 'not_found'
            ? t('rules.gone')
            : errorText(t, error)
        : '',
    onSubmit: (event) => {
      event.preventDefault()
      if (!busy) void save()
    },
    onKeyDown: (event) => {
      if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
      event.preventDefault()
      if (!busy) onCancel()
    },
  }
}
