import type { ReactNode } from 'react'
import css from './object-list.module.css'
import type { RowState } from './object-list'

interface Props {
  state: RowState
  /** Whose rows follow. */
  name: ReactNode
  /** How many, of which session. */
  about?: ReactNode
  children?: ReactNode
}

/** The heading of a group of rows, which Left folds and Right unfolds. */
export function RowHeading({ state, name, about, children }: Props) {
  return (
    <div className={css.heading} role="gridcell">
      <span className={css.fold} data-open={state.expanded} aria-hidden="true" />
      <span className={css.groupName}>{name}</span>
      {about !== undefined && <span className={css.about}>{about}</span>}
      {children}
    </div>
  )
}
