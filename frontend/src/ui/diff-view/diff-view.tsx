import { useState } from 'react'
import { ShowAll } from '../show-all'
import css from './diff-view.module.css'
import type { DiffLine } from './diff-lines'
import type { DiffWords } from './diff-words'
import { LineView } from './line-view'

interface Props {
  lines: readonly DiffLine[]
  label: string
  words: DiffWords
}

const foldAbove = 1000
const keptLines = 400

/** A difference line by line, or a text alone. Many lines fold in the middle, with a count. */
export function DiffView({ lines, label, words }: Props) {
  const [whole, setWhole] = useState(false)
  const fold = !whole && lines.length > foldAbove
  const width = String(lines.reduce((most, line) => Math.max(most, line.old, line.new), 0)).length
  const numbers = lines.some((line) => line.old > 0) ? css.both : css.one
  const [head, tail] = fold ? [lines.slice(0, keptLines), lines.slice(-keptLines)] : [lines, []]
  return (
    <div className={`${css.view ?? ''} ${numbers ?? ''}`} role="group" tabIndex={0} dir="ltr" translate="no" aria-label={label} data-digits={Math.min(width, 7)}>
      <ol className={css.lines}>
        {head.map((line, i) => (
          <LineView key={i} line={line} words={words} />
        ))}
        {fold && (
          <li className={css.fold}>
            <span>{words.foldedLines(lines.length - 2 * keptLines)}</span>
            <ShowAll
              label={words.showAll}
              onShow={() => {
                setWhole(true)
              }}
            />
          </li>
        )}
        {tail.map((line, i) => (
          <LineView key={`tail ${String(i)}`} line={line} words={words} />
        ))}
      </ol>
    </div>
  )
}
