import type { ReactNode } from 'react'
import css from './approval-dialog.module.css'

interface Props {
  label: ReactNode
  /** The id of the value, for descriptions. */
  id?: string
  children: ReactNode
}

/** One named value, or a control under its name. */
export function Fact({ label, id, children }: Props) {
  return (
    <div className={css.fact}>
      <dt>{label}</dt>
      <dd id={id}>{children}</dd>
    </div>
  )
}
