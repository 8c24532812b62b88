import { useState } from 'react'
import { useI18n } from '../../../i18n/i18n'

const marks = [10, 30, 60]

/** The last mark that was passed: 60, 30 or 10 seconds before the end; null before, and at the end. */
export function markOf(left: number | null): number | null {
  if (left === null || left === 0) return null
  return marks.find((mark) => left <= mark) ?? null
}

/** Says once, when a screen reader has nothing else to say, that little time is left. */
export function TimeWarning({ left }: { left: number | null }) {
  const { t } = useI18n()
  const mark = markOf(left)
  const [said, setSaid] = useState<{ mark: number | null; left: number }>({ mark: null, left: 0 })
  if (mark !== said.mark) setSaid({ mark, left: left ?? 0 })
  return (
    <span className="visually-hidden" role="status">
      {left === 0 ? t('approval.over') : said.mark !== null && t('approval.secondsLeft', { count: said.left })}
    </span>
  )
}
