import { useId } from 'react'
import { useI18n } from '../../../i18n/i18n'
import { letGo } from '../../../ui/let-go'
import css from '../dialog/approval-dialog.module.css'
import { Fact } from '../dialog/fact'
import type { Approval } from './use-approval'

/** Why not, in the person's words. The agent reads it. */
export function ReasonField({ approval: { draft, change, busy, undoUntil } }: { approval: Approval }) {
  const { t } = useI18n()
  const id = useId()
  return (
    <Fact label={<label htmlFor={id}>{t('approval.reason')}</label>}>
      <textarea
        ref={letGo}
        className={css.reason}
        id={id}
        rows={1}
        autoComplete="off"
        placeholder={t('approval.reasonHint')}
        value={draft.reason}
        readOnly={busy || undoUntil !== null}
        onChange={(e) => {
          change({ reason: e.currentTarget.value })
        }}
      />
    </Fact>
  )
}
