import type { ComponentProps } from 'react'
import { Notice } from '../notice'
import { DiffView } from './diff-view'
import css from './diff-view.module.css'

interface Props extends ComponentProps<typeof DiffView> {
  /** How much was added and removed. */
  counts: string
  /** What of it is not shown. */
  notes: readonly string[]
}

/** A difference under its name. */
export function Difference({ counts, notes, ...diff }: Props) {
  return (
    <>
      <p className={css.facts}>
        <span>{diff.label}</span>
        <span className={css.counts}>{counts}</span>
      </p>
      <DiffView {...diff} />
      {notes.map((note) => (
        <Notice key={note} tone="care">
          {note}
        </Notice>
      ))}
    </>
  )
}
