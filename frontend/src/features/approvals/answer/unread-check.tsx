import { useI18n } from '../../../i18n/i18n'
import { Check } from '../../../ui/check'
import css from '../dialog/approval-foot.module.css'
import type { Approval } from './use-approval'

/** While the end of the act was never in view: what is missing, and the person's word that it may be. */
export function UnreadCheck({ approval }: { approval: Approval }) {
  const { t } = useI18n()
  const { view, draft, change } = approval
  if (view.unseen !== 'unread') return null
  return (
    <div className={css.unread}>
      <p>{t('approval.readOn')}</p>
      <Check
        label={t('approval.unread')}
        checked={draft.unread}
        onChange={(unread) => {
          change({ unread })
        }}
      />
    </div>
  )
}
