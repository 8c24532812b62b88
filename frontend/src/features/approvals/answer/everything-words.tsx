import { useI18n } from '../../../i18n/i18n'
import { Notice } from '../../../ui/notice'
import css from '../dialog/approval-foot.module.css'
import { takeFocus } from '../dialog/take-focus'
import { ReachWords, ScopeName } from './reach-words'
import type { Approval } from './use-approval'

/** What a yes to everything of a session means, before the second press. */
export function EverythingWords({ approval }: { approval: Approval }) {
  const { tx } = useI18n()
  return (
    <div className={css.everything} tabIndex={-1} ref={takeFocus}>
      <Notice tone="care">
        <p className={css.strong}>{tx('approval.everythingTitle', { what: <ScopeName call={approval.call} scope="session" /> })}</p>
        <ReachWords call={approval.call} reach={approval.draft.reach} />
      </Notice>
    </div>
  )
}
