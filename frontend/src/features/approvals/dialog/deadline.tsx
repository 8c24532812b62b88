import { useState } from 'react'
import { useI18n } from '../../../i18n/i18n'
import { Button } from '../../../ui/button'
import { Icon } from '../../../ui/icon'
import { clockText } from '../../../ui/use-time-left'
import css from './approval-foot.module.css'
import { TimeWarning } from './time-warning'

const hurrySeconds = 30

interface Props {
  /** Seconds until the call expires; null waits without limit. */
  left: number | null
  /** Seconds until its caller gives up; null where that is not known. */
  patience: number | null
  onExtend: () => Promise<void>
}

/** How long the call waits, and how to make that longer. A timer: screen readers read it when asked, not every second. */
export function Deadline({ left, patience, onExtend }: Props) {
  const { tx, t } = useI18n()
  const time = (seconds: number) => <span className={css.time}>{clockText(seconds)}</span>
  return (
    <>
      <p className={css.clock} role="timer" data-hurry={left !== null && left <= hurrySeconds}>
        <Icon name="clock" />
        <span>
          {left === null && t('approval.noDeadline')}
          {left === 0 && t('approval.over')}
          {left !== null && left > 0 && tx('approval.deadline', { time: time(left) })}
        </span>
      </p>
      {left !== null && left > 0 && <MoreTime onExtend={onExtend} />}
      {patience !== null && patience > 0 && left !== 0 && <p>{tx('approval.patience', { time: time(patience) })}</p>}
      <TimeWarning left={left} />
    </>
  )
}

function MoreTime({ onExtend }: { onExtend: () => Promise<void> }) {
  const { t } = useI18n()
  const [asking, setAsking] = useState(false)
  const extend = async () => {
    setAsking(true)
    await onExtend()
    setAsking(false)
  }
  return (
    <Button look="quiet" small className={css.more} disabled={asking} onClick={() => void extend()}>
      {t('approval.moreTime')}
    </Button>
  )
}
