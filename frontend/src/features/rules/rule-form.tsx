import { useState, type KeyboardEvent, type ReactNode, type SubmitEvent } from 'react'
import { DeskError } from '../../desk/desk-error'
import type { RuleForm as Form } from '../../desk/types'
import { errorText } from '../../i18n/error-text'
import { useI18n } from '../../i18n/i18n'
import { Button } from '../../ui/button'
import { Check } from '../../ui/check'
import { Choice } from '../../ui/choice'
import { Notice } from '../../ui/notice'
import { formOf, type RuleDraft } from './rule-draft'
import css from './rule-form.module.css'
import { RuleTarget } from './rule-target'

interface Props {
  title: string
  start: RuleDraft
  /** Fails with a DeskError; what is wrong with a field is shown at the field. */
  onSave: (form: Form) => Promise<void>
  onCancel: () => void
  /** What is shown of the rule but not written here. */
  children?: ReactNode
}

const shownAtField = ['serverId', 'toolName', 'toolPattern', 'priority', 'note']

/** A rule being written. Enter saves, Escape puts back what was. */
export function RuleForm({ title, start, onSave, onCancel, children }: Props) {
  const { t } = useI18n()
  const [draft, setDraft] = useState(start)
  const [error, setError] = useState<DeskError | null>(null)
  const [busy, setBusy] = useState(false)
  const change = (part: Partial<RuleDraft>) => {
    setDraft({ ...draft, ...part })
  }
  const save = async () => {
    const form = formOf(draft)
    if (!form) {
      setError(new DeskError({ code: 'invalid', field: 'priority', message: t('rules.formPriorityError') }))
      return
    }
    setBusy(true)
    try {
      await onSave(form)
    } catch (thrown) {
      setError(DeskError.from(thrown))
      setBusy(false)
    }
  }
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!busy) void save()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
    event.preventDefault()
    onCancel()
  }
  const atField = error?.field !== undefined && shownAtField.includes(error.field) ? { [error.field]: error.message } : {}
  const options = (['allow', 'ask', 'deny'] as const).map((value) => ({ value, icon: value, label: t(`effect.${value}`) }))
  return (
    <form className={css.form} aria-label={title} noValidate onSubmit={onSubmit} onKeyDown={onKeyDown}>
      <h2 className={css.title}>{title}</h2>
      {error && Object.keys(atField).length === 0 && (
        <Notice tone="deny" role="alert">
          {error.code === 'lost_update' ? t('rules.lost') : error.code === 'not_found' ? t('rules.gone') : errorText(t, error)}
        </Notice>
      )}
      <RuleTarget draft={draft} errors={atField} onChange={change} />
      {children}
      <div className={css.row}>
        <Choice
          legend={t('rules.formEffect')}
          options={options}
          value={draft.effect}
          onChange={(effect) => {
            change({ effect })
          }}
        />
        <Check
          label={t('rules.formEnabled')}
          checked={draft.enabled}
          onChange={(enabled) => {
            change({ enabled })
          }}
        />
        <div className={css.actions}>
          <Button onClick={onCancel}>{t('common.cancel')}</Button>
          <Button type="submit" look="strong" disabled={busy}>
            {t('common.save')}
          </Button>
        </div>
      </div>
      <p className={css.keys}>{t('rules.formKeys')}</p>
    </form>
  )
}
