import { useState } from 'react'
import type { CommandPiece } from '../../../desk/types'
import { useDiffWords } from '../../../i18n/use-diff-words'
import { RepeatFold } from '../../../ui/repeat-fold'
import { runsOf } from '../../../ui/repeats'
import { CommandLine } from './command-line'
import type { Mark } from './risk-marks'
import css from './shapes.module.css'

interface Props {
  lines: readonly (readonly CommandPiece[])[]
  /** What raised the risk, for each piece of each line. */
  marks: readonly (readonly (Mark | null)[])[]
}

/** The steps of a command. Those that only say the step before again fold with a count. */
export function CommandLines({ lines, marks }: Props) {
  const words = useDiffWords()
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set()) // runs, by their first line
  const step = (i: number) => <CommandLine key={i} pieces={lines[i] ?? []} marks={marks[i] ?? []} />
  const keys = lines.map((pieces, i) => keyOf(pieces, marks[i] ?? []))
  return runsOf(keys).flatMap(({ from, count }) => {
    if (count === 1 || unfolded.has(from)) return Array.from({ length: count }, (_, i) => step(from + i))
    const fold = (
      <li className={css.step} key={`fold ${String(from)}`}>
        <RepeatFold
          count={count - 1}
          blank={false}
          words={words}
          onShow={() => {
            setUnfolded(new Set(unfolded).add(from))
          }}
        />
      </li>
    )
    return [step(from), fold]
  })
}

/** The text of a line with what is marked in it. */
function keyOf(pieces: readonly CommandPiece[], marks: readonly (Mark | null)[]): string {
  return JSON.stringify([pieces.map((piece) => piece.text), marks.map((mark) => mark?.why ?? null)])
}
