import type { ReactNode } from 'react'
import css from './empty.module.css'

/** What stands where nothing is yet: what this place is for, and a way to begin. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={css.empty}>
      <svg className={css.gate} viewBox="0 0 48 36" aria-hidden="true">
        <path d="M9 7h30M13 14h22M16 7v24M32 7v24M24 7v7M3 31h42" />
      </svg>
      <h2 className={css.title}>{title}</h2>
      {children}
    </div>
  )
}
