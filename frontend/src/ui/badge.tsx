import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon'
import css from './badge.module.css'

interface Props {
  icon: IconName
  tone?: 'plain' | 'allow' | 'ask' | 'deny' | 'care' | 'muted'
  title?: string
  children: ReactNode
}

/** An icon and a word: colour is never the only sign. */
export function Badge({ icon, tone = 'plain', title, children }: Props) {
  return (
    <span className={`${css.badge ?? ''} ${css[tone] ?? ''}`} title={title}>
      <Icon name={icon} />
      <span>{children}</span>
    </span>
  )
}
