import { errorText } from '../../../i18n/error-text'
import { useI18n } from '../../../i18n/i18n'
import { AgentText } from '../../../ui/agent-text'
import { Field } from '../../../ui/field'
import { LateComponent } from '../../../ui/late-component'
import css from '../dialog/approval-dialog.module.css'
import { Late } from '../late'
import { answerFields, type AnswerField } from './answer-fields'
import type { Approval } from './use-approval'

/** No dialog can want it before the first screen is there. */
const questions = new LateComponent<{ approval: Approval; fields: readonly AnswerField[] }>(() =>
  import('./answer-questions').then(({ AnswerQuestions }) => AnswerQuestions),
)

/** What the caller wants to know beside yes or no: a form of choices and texts, else JSON that fits its schema. The desk checks it. */
export function DataField({ approval }: { approval: Approval }) {
  const fields = answerFields(approval.call.resumeSchema)
  return fields === null ? <JsonField approval={approval} /> : <Late part={questions} props={{ approval, fields }} />
}

function JsonField({ approval }: { approval: Approval }) {
  const { t } = useI18n()
  const { call, draft, change, hindrance, failure, busy, undoUntil } = approval
  const refused = failure?.error.field === 'resumeData' ? failure.error : null
  const error = hindrance === 'data' ? t('approval.dataNotJson') : refused ? errorText(t, refused) : undefined
  return (
    <section className={css.section}>
      <Field
        lines={3}
        label={t('approval.data')}
        hint={t('approval.dataHint')}
        error={error}
        value={draft.data}
        readOnly={busy || undoUntil !== null}
        onChange={(e: { currentTarget: { value: string } }) => {
          change({ data: e.currentTarget.value })
        }}
      />
      {call.why.notChecked && (
        <div className={css.schema}>
          <p>{t('approval.dataNotChecked')}</p>
          <AgentText as="path">{call.why.notChecked.join('\n')}</AgentText>
        </div>
      )}
      <details className={css.schema}>
        <summary>{t('approval.dataSchema')}</summary>
        <AgentText as="path">{JSON.stringify(call.resumeSchema, null, 2)}</AgentText>
      </details>
    </section>
  )
}
