import { useCallback } from 'react'
import { NoticeWords } from './notice-words'
import css from './passing-notice.module.css'
import type { Notice } from './queue-state'

const shownMs = 5000

interface Props {
  notice: Notice | null
  /** Within the open dialog, because everything outside of it is inert. */
  inside?: boolean
  /** Must be stable. */
  onDone: () => void
}

/** What happened last, for a moment. The region stays, so that it is announced. */
export function PassingNotice({ notice, inside = false, onDone }: Props) {
  const forAMoment = useCallback(
    (line: HTMLElement | null) => {
      if (!line || !notice) return
      const timer = setTimeout(onDone, shownMs)
      return () => {
        clearTimeout(timer)
      }
    },
    [notice, onDone],
  )
  return (
    <div className={inside ? css.inside : css.passing} role="status">
      {notice && (
        <p ref={forAMoment} className={inside ? css.line : css.notice} key={'call' in notice ? notice.call.id : notice.kind}>
          <NoticeWords notice={notice} cut={inside} />
        </p>
      )}
    </div>
  )
}
