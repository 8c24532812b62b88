import { useState } from 'react'
import { isLong } from '../folded-text'
import { ShowAll } from '../show-all'
import css from './diff-view.module.css'
import type { DiffLine } from './diff-lines'
import type { DiffWords } from './diff-words'
import { LineView } from './line-view'

interface Props {
  lines: readonly DiffLine[]
  label: string
  words: DiffWords
  /** Nothing of what was folded is any more. */
  onWhole?: (() => void) | undefined
}

const foldAbove = 1000
const keptLines = 400

/** Whether some of a difference is folded at first. */
export const isFolded = (lines: readonly DiffLine[]) => lines.length > foldAbove || lines.some(({ text }) => isLong(text))

/** A difference line by line, or a text alone. Many lines fold in the middle, with a count; so does a line that is long. */
export function DiffView({ lines, label, words, onWhole }: Props) {
  const [whole, setWhole] = useState(false)
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set()) // long lines, by their place
  const fold = !whole && lines.length > foldAbove
  const width = String(lines.reduce((most, line) => Math.max(most, line.old, line.new), 0)).length
  const numbers = lines.some((line) => line.old > 0) ? css.both : css.one
  const tell = (long: ReadonlySet<number>) => {
    if (lines.every(({ text }, i) => long.has(i) || !isLong(text))) onWhole?.()
  }
  const unfoldLine = (i: number) => {
    const now = new Set(unfolded).add(i)
    setUnfolded(now)
    if (!fold) tell(now)
  }
  const unfold = () => {
    setWhole(true)
    tell(unfolded)
  }
  // A line keeps its key, so that one that was unfolded stays so when the middle comes.
  const view = (line: DiffLine, i: number) => (
    <LineView
      key={i}
      line={line}
      words={words}
      onShow={() => {
        unfoldLine(i)
      }}
    />
  )
  const folded = (
    <li className={css.fold} key="fold">
      <span>{words.foldedLines(lines.length - 2 * keptLines)}</span>
      <ShowAll label={words.showAll} onShow={unfold} />
    </li>
  )
  const all = lines.map(view)
  return (
    <div className={`${css.view ?? ''} ${numbers ?? ''}`} role="group" tabIndex={0} dir="ltr" translate="no" aria-label={label} data-digits={Math.min(width, 7)}>
      <ol className={css.lines}>{fold ? [...all.slice(0, keptLines), folded, ...all.slice(-keptLines)] : all}</ol>
    </div>
  )
}
