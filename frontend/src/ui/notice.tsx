import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon'
import css from './notice.module.css'

interface Props {
  tone: 'care' | 'deny' | 'plain'
  icon?: IconName
  /** alert interrupts a screen reader, status waits for a pause. */
  role?: 'alert' | 'status' | 'note'
  children: ReactNode
}

/** A short word to the person, with an icon. */
export function Notice({ tone, icon = 'warning', role = 'note', children }: Props) {
  return (
    <div className={`${css.notice ?? ''} ${css[tone] ?? ''}`} role={role}>
      <Icon name={icon} />
      <div className={css.text}>{children}</div>
    </div>
  )
}
