import { useI18n } from '../../i18n/i18n'
import { Icon } from '../../ui/icon'
import css from './answer-bar.module.css'
import { clockText } from './use-time-left'

const hurrySeconds = 30

/** How long the call waits. A timer: screen readers read it when asked, not every second. */
export function Deadline({ left }: { left: number | null }) {
  const { tx, t } = useI18n()
  return (
    <p className={left !== null && left <= hurrySeconds ? css.hurry : css.deadline} role="timer">
      <Icon name="clock" />
      <span>
        {left === null && t('approval.noDeadline')}
        {left === 0 && t('approval.over')}
        {left !== null && left > 0 && tx('approval.deadline', { time: <span className={css.time}>{clockText(left)}</span> })}
      </span>
    </p>
  )
}
