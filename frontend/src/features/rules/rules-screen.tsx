import { useState } from 'react'
import type { RuleSaved } from '../../desk/desk'
import { useDesk } from '../../desk/desk-context'
import type { RuleForm as Form } from '../../desk/types'
import { errorText } from '../../i18n/error-text'
import { useI18n } from '../../i18n/i18n'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import { Notice } from '../../ui/notice'
import { Screen } from '../../ui/screen'
import { EmptyRules } from './empty-rules'
import { LastRow } from './last-row'
import { newDraft } from './rule-draft'
import { RuleForm } from './rule-form'
import { RuleRow } from './rule-row'
import css from './rules-screen.module.css'
import { useRules } from './use-rules'
import { WaitingMatches } from './waiting-matches'

/** All rules in the order of judgement, and where they are written. */
export function RulesScreen() {
  const { t } = useI18n()
  const desk = useDesk()
  const { data: rules, error, reload } = useRules()
  const [adding, setAdding] = useState(false)
  const [back, setBack] = useState(false)
  const [saved, setSaved] = useState<RuleSaved | null>(null)
  const changed = async (now?: RuleSaved) => {
    setSaved(now ?? null)
    await reload()
  }
  const close = () => {
    setBack(true) // to the button that led away
    setAdding(false)
  }
  const create = async (form: Form) => {
    const made = await desk.createRule(form)
    close()
    await changed(made)
  }
  const add = (
    <Button
      look="strong"
      autoFocus={back}
      onClick={() => {
        setAdding(true)
      }}
    >
      <Icon name="plus" /> {t('rules.add')}
    </Button>
  )
  return (
    <Screen title={t('rules.title')} lead={t('rules.lead')} action={!adding && add}>
      {error && (
        <Notice tone="deny" role="alert">
          {errorText(t, error)}
        </Notice>
      )}
      {saved && <WaitingMatches key={`${saved.rule.id} ${saved.rule.updatedAt}`} saved={saved} />}
      {adding && (
        <RuleForm
          title={t('rules.formNew')}
          start={newDraft}
          onSave={create}
          onCancel={close}
        />
      )}
      {!rules && !error && <p role="status">{t('common.loading')}</p>}
      {rules?.length === 0 && !adding && <EmptyRules onChanged={changed} />}
      {rules && (
        <ol className={css.list} aria-label={t('rules.list')}>
          {rules.map((rule, i) => (
            <RuleRow key={rule.id} rule={rule} place={i + 1} onChanged={changed} />
          ))}
          <LastRow />
        </ol>
      )}
    </Screen>
  )
}
