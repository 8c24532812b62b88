import { useId } from 'react'
import { useI18n } from '../../../i18n/i18n'
import { AgentText } from '../../../ui/agent-text'
import { Field } from '../../../ui/field'
import css from './question-field.module.css'
import type { AnswerField, FieldChoice } from './answer-fields'

/** The modes that Claude Code can go on in after a plan. */
const modes = {
  default: 'approval.mode.default',
  acceptEdits: 'approval.mode.acceptEdits',
  bypassPermissions: 'approval.mode.bypassPermissions',
} as const

interface Props {
  field: AnswerField
  answer: readonly string[]
  onAnswer: (answer: string[]) => void
  /** It asks for the mode after a plan. */
  plan: boolean
  disabled: boolean
}

/** One question of a form: its choices as radio buttons or check boxes, and words of one's own. */
export function QuestionField({ field, answer, onAnswer, plan, disabled }: Props) {
  const { t } = useI18n()
  const group = useId()
  const { name, kind, choices, own } = field
  const words = answer.find((one) => !choices.some(({ value }) => value === one)) ?? ''
  const chosen = answer.filter((one) => one !== words)
  const choose = (value: string, on: boolean) => {
    if (kind === 'one') onAnswer([value])
    else onAnswer([...choices.map((one) => one.value).filter((one) => (one === value ? on : chosen.includes(one))), ...(words === '' ? [] : [words])])
  }
  const write = (said: string) => {
    onAnswer([...(kind === 'many' ? chosen : []), ...(said === '' ? [] : [said])])
  }
  const label = (choice: FieldChoice) => {
    const mode = plan && Object.hasOwn(modes, choice.value) ? modes[choice.value as keyof typeof modes] : null
    return mode ? t(mode) : <AgentText as="prose">{choice.label}</AgentText>
  }
  return (
    <fieldset className={css.question} disabled={disabled}>
      <legend className={css.legend}>
        {plan ? t('approval.mode') : <AgentText as="prose">{name}</AgentText>}
        {!plan && field.title !== '' && (
          <>
            {' '}
            <AgentText>{field.title}</AgentText>
          </>
        )}
      </legend>
      {field.about !== '' && (
        <p className={css.about}>
          <AgentText as="prose">{field.about}</AgentText>
        </p>
      )}
      {choices.map((choice) => (
        <label key={choice.value} className={`${css.choice ?? ''} ${plan && choice.value === 'bypassPermissions' ? (css.bypass ?? '') : ''}`}>
          <input
            type={kind === 'many' ? 'checkbox' : 'radio'}
            name={group}
            value={choice.value}
            checked={chosen.includes(choice.value)}
            onChange={(e) => {
              choose(choice.value, e.currentTarget.checked)
            }}
          />
          <span>
            {label(choice)}
            {choice.about !== '' && (
              <span className={css.about}>
                {' '}
                <AgentText as="prose">{choice.about}</AgentText>
              </span>
            )}
          </span>
        </label>
      ))}
      {own && (
        <Field
          label={choices.length === 0 ? t('approval.yourAnswer') : t('approval.ownWords')}
          value={words}
          onChange={(e: { currentTarget: { value: string } }) => {
            write(e.currentTarget.value)
          }}
        />
      )}
    </fieldset>
  )
}
