import { useMemo, useState } from 'react'
import { isLong } from '../folded-text'
import { useFold } from '../folds'
import { RepeatFold } from '../repeat-fold'
import { isBlank, runsOf } from '../repeats'
import { ShowAll } from '../show-all'
import { changedWords } from './changed-words'
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
  const middle = useFold()
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set()) // long lines, by their place
  const [repeated, setRepeated] = useState<ReadonlySet<number>>(new Set()) // runs that were unfolded, by their first line
  const fold = !whole && lines.length > foldAbove
  const changed = useMemo(() => changedWords(lines), [lines])
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
      parts={changed.get(i)}
      onShow={() => {
        unfoldLine(i)
      }}
    />
  )
  const folded = (
    <li className={css.fold} key="fold" ref={middle}>
      <span>{words.foldedLines(lines.length - 2 * keptLines)}</span>
      <ShowAll label={words.showAll} onShow={unfold} />
    </li>
  )
  // Equal lines that follow each other are one line and a count, until they are unfolded.
  const rows = (first: number, last: number) =>
    runsOf(lines.slice(first, last).map(keyOf)).flatMap(({ from, count, blank }) => {
      const at = first + from
      const line = lines[at]
      if (!line) return []
      if (count === 1 || repeated.has(at)) return lines.slice(at, at + count).map((one, i) => view(one, at + i))
      const fold = (
        <li className={css.fold} key={`repeat ${String(at)}`}>
          <RepeatFold
            count={blank ? count : count - 1}
            blank={blank}
            words={words}
            onShow={() => {
              setRepeated(new Set(repeated).add(at))
            }}
          />
        </li>
      )
      return blank ? [fold] : [view(line, at), fold]
    })
  return (
    <div className={`${css.view ?? ''} ${numbers ?? ''}`} role="group" tabIndex={0} dir="ltr" translate="no" aria-label={label} data-digits={Math.min(width, 7)}>
      <ol className={css.lines}>{fold ? [...rows(0, keptLines), folded, ...rows(lines.length - keptLines, lines.length)] : rows(0, lines.length)}</ol>
    </div>
  )
}

/** A line's kind, text and end; of a blank line that no side changes, ''. */
function keyOf({ kind, text, ending, count }: DiffLine): string {
  return kind === 'same' && ending === '' && isBlank(text) ? '' : JSON.stringify([kind, kind === 'gap' ? count : text, ending])
}
