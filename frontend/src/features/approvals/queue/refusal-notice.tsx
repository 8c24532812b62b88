import { useI18n } from '../../../i18n/i18n'
import { Button } from '../../../ui/button'
import { NoticeWords } from './notice-words'
import css from './passing-notice.module.css'
import type { Refusal } from './queue-state'

interface Props {
  refusals: readonly Refusal[]
  /** Within the open dialog, because everything outside of it is inert. */
  inside?: boolean
  onClose: () => void
}

/** An answer that did not count, until the person has closed it; then the next one. */
export function RefusalNotice({ refusals, inside = false, onClose }: Props) {
  const { t } = useI18n()
  const [oldest] = refusals
  if (!oldest) return null
  return (
    <div
      className={`${(inside ? css.insideWhole : css.notice) ?? ''} ${css.refusal ?? ''}`}
      role="alert"
      key={`${oldest.call.id} ${String(refusals.length)}`}
    >
      <p className={inside ? css.line : css.words}>
        <NoticeWords notice={oldest} />
      </p>
      <Button small className={css.close} onClick={onClose}>
        {t('common.close')}
      </Button>
    </div>
  )
}
