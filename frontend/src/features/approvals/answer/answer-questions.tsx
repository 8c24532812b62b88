import { errorText } from '../../../i18n/error-text'
import { useI18n } from '../../../i18n/i18n'
import { Notice } from '../../../ui/notice'
import css from '../dialog/approval-dialog.module.css'
import { answersIn, dataOf, type AnswerField } from './answer-fields'
import { QuestionField } from './question-field'
import { isPlan } from './reach'
import type { Approval } from './use-approval'

/** What the caller asks the person, as a form. */
export function AnswerQuestions({ approval, fields }: { approval: Approval; fields: readonly AnswerField[] }) {
  const { t } = useI18n()
  const { call, draft, change, failure, busy, undoUntil } = approval
  const answers = answersIn(fields, draft.data)
  return (
    <section className={css.section} aria-label={t('approval.questions')}>
      {fields.map((field) => (
        <QuestionField
          key={field.name}
          field={field}
          answer={answers[field.name] ?? []}
          onAnswer={(answer) => {
            change({ data: dataOf(fields, { ...answers, [field.name]: answer }) })
          }}
          plan={isPlan(call) && field.name === 'mode'}
          disabled={busy || undoUntil !== null}
        />
      ))}
      {failure?.error.field === 'resumeData' && (
        <Notice tone="deny" role="alert">
          {errorText(t, failure.error)}
        </Notice>
      )}
    </section>
  )
}
