import { useState } from 'react'
import type { RuleSaved } from '../../desk/desk'
import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'
import type { Rule, RuleForm as Form } from '../../desk/types'
import { useI18n } from '../../i18n/i18n'
import { AgentText } from '../../ui/agent-text'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import { DeleteRule } from './delete-rule'
import { RuleBadges } from './rule-badges'
import { changesOf, draftOf, ruleName } from './rule-draft'
import { RuleForm } from './rule-form'
import { RuleLimits } from './rule-limits'
import css from './rules-screen.module.css'

interface Props {
  rule: Rule
  place: number
  /** Something was changed, or found to be another than shown. */
  onChanged: (saved?: RuleSaved) => Promise<void>
}

/** One rule; edited where it stands. */
export function RuleRow({ rule, place, onChanged }: Props) {
  const { t } = useI18n()
  const desk = useDesk()
  const [mode, setMode] = useState<'shown' | 'edited' | 'deleted'>('shown')
  const [seen, setSeen] = useState(rule)
  const [back, setBack] = useState(false)
  const show = () => {
    setBack(true) // to the button that led away
    setMode('shown')
  }
  const edit = () => {
    setSeen(rule)
    setMode('edited')
  }
  const save = async (form: Form) => {
    try {
      const saved = await desk.updateRule(rule.id, changesOf(form, seen), seen.updatedAt)
      show()
      await onChanged(saved)
    } catch (error) {
      if (DeskError.from(error).code === 'lost_update') await reload()
      throw error
    }
  }
  // What is written stays; saving again then means the rule as it is now.
  const reload = async () => {
    const now = (await desk.rules()).rules.find((r) => r.id === rule.id)
    if (now) setSeen(now)
    await onChanged()
  }
  const name = ruleName(rule, t('rules.anyServer'), t('rules.anyTool'))
  return (
    <li className={css.row} data-off={!rule.enabled}>
      {mode === 'edited' ? (
        <RuleForm title={t('rules.formEdit')} start={draftOf(seen)} onSave={save} onCancel={show}>
          <RuleLimits rule={seen} kept />
        </RuleForm>
      ) : (
        <div className={css.rule}>
          <span className={css.place} aria-hidden="true">
            {place}
          </span>
          <div className={css.what}>
            <RuleBadges rule={rule} />
            <RuleLimits rule={rule} />
            {rule.note !== '' && <p className={css.note}><AgentText as="prose">{rule.note}</AgentText></p>}
            {rule.hits > 0 && <p className={css.hits}>{t('rules.hits', { count: rule.hits })}</p>}
          </div>
          <div className={css.actions}>
            <Button look="quiet" small autoFocus={back} aria-label={t('rules.editOne', { rule: name })} onClick={edit}>
              <Icon name="edit" /> {t('common.edit')}
            </Button>
            <Button
              look="quiet"
              small
              aria-label={t('rules.deleteOne', { rule: name })}
              onClick={() => {
                setMode('deleted')
              }}
            >
              <Icon name="trash" /> {t('common.delete')}
            </Button>
          </div>
        </div>
      )}
      {mode === 'deleted' && <DeleteRule rule={rule} onDone={show} onChanged={onChanged} />}
    </li>
  )
}
