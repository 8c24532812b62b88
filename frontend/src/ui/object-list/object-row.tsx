import type { ReactNode } from 'react'
import css from './object-list.module.css'
import type { RowState } from './object-list'

interface Props {
  state: RowState
  /** What is wanted of what object, in one sentence. */
  sentence: ReactNode
  /** What else belongs to it, in small letters. Its buttons and links show always, and are come to as the actions are. */
  facts?: ReactNode
  /** How old it is, or how long it lasts. */
  age: ReactNode
  status?: ReactNode
  /** What can be done with it: buttons and links, which show while the row has the pointer or the focus. */
  actions?: ReactNode
  /** The actions are urgent: they show always. */
  urgent?: boolean
  /** What is shown below when it is asked for. */
  below?: ReactNode
}

/** A row of the list of the house: a sentence that names the object, its age, its status, and what can be done with it. */
export function ObjectRow({ state, sentence, facts, age, status, actions, urgent = false, below }: Props) {
  return (
    <>
      <div className={css.main} role="gridcell" ref={tabbable(state.current)}>
        <p className={css.sentence}>{sentence}</p>
        {facts !== undefined && <div className={css.facts}>{facts}</div>}
      </div>
      {status !== undefined && (
        <div className={css.status} role="gridcell">
          {status}
        </div>
      )}
      <div className={css.age} role="gridcell">
        {age}
      </div>
      {actions !== undefined && (
        <div className={css.actions} role="gridcell" data-urgent={urgent} ref={tabbable(state.current)}>
          {actions}
        </div>
      )}
      {state.expanded && below !== undefined && (
        <div className={css.below} role="gridcell" data-below="">
          {below}
        </div>
      )}
    </>
  )
}

/** As a ref of a cell, at each draw: Tab leads to the buttons and links of the row that it leads to. */
function tabbable(current: boolean) {
  return (cell: HTMLElement | null) => {
    for (const action of cell?.querySelectorAll<HTMLElement>('a[href], button, summary') ?? []) action.tabIndex = current ? 0 : -1
  }
}
