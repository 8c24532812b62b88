import type { ChangeEvent } from 'react'
import { useLoaded } from '../../desk/queries'
import { Combobox } from '../../ui/combobox'
import { Field } from '../../ui/field'
import { MethodSelect } from './method-select'
import type { RuleDraft } from './rule-draft'
import css from './rule-form.module.css'
import { useI18n } from './screen'

interface Props {
  draft: RuleDraft
  errors: Partial<Record<string, string>>
  onChange: (part: Partial<RuleDraft>) => void
}

/** The written fields of a rule: which calls it is about, how early, and a note. */
export function RuleTarget({ draft, errors, onChange }: Props) {
  const { t } = useI18n()
  const servers = useLoaded('servers').data ?? []
  const field = (name: 'toolName' | 'toolPattern' | 'priority' | 'note') => ({
    value: draft[name],
    error: errors[name],
    onChange: (e: ChangeEvent<HTMLInputElement>) => {
      onChange({ [name]: e.currentTarget.value })
    },
  })
  return (
    <div className={css.fields}>
      <Combobox
        label={t('rules.formServer')}
        hint={t('rules.formServerHint')}
        autoFocus
        value={draft.serverId}
        error={errors.serverId}
        options={servers.map((server) => server.id)}
        onChange={(serverId) => {
          onChange({ serverId })
        }}
      />
      <MethodSelect
        value={draft.method}
        any={t('rules.formMethodAny')}
        onChange={(method) => {
          onChange({ method })
        }}
      />
      <Field label={t('rules.formTool')} hint={t('rules.formToolHint')} {...field('toolName')} />
      <Field label={t('rules.formPattern')} hint={t('rules.formPatternHint')} {...field('toolPattern')} />
      <Field label={t('rules.formPriority')} hint={t('rules.formPriorityHint')} inputMode="numeric" {...field('priority')} />
      <div className={css.note}>
        <Field label={t('rules.formNote')} hint={t('rules.formNoteHint')} {...field('note')} />
      </div>
    </div>
  )
}
