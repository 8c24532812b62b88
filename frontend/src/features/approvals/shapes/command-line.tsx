import { Fragment } from 'react'
import type { CommandPiece } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { FoldedText } from '../../../ui/folded-text'
import { splitCode } from '../../../ui/split-text'
import { BlankLines, isTall } from './blank-lines'
import type { Mark } from './risk-marks'
import css from './shapes.module.css'
import { redirectsOut, targetsIn } from './writes'

interface Props {
  pieces: readonly CommandPiece[]
  /** What raised the risk, for each piece. */
  marks: readonly (Mark | null)[]
}

/** One step of a command: its program stands out, and so do the files that it writes and what raised the risk. */
export function CommandLine({ pieces, marks }: Props) {
  const { t } = useI18n()
  const words = { folded: (count: number) => t('input.folded', { count }), showAll: t('input.showAll') }
  const targets = targetsIn(pieces)
  const writes = (i: number) => targets.some(({ from, to }) => i >= from && i < to)
  return (
    <li className={css.step}>
      <code>
        {groupsOf(marks, pieces.length).map(({ mark, from, to }) => {
          const shown = pieces.slice(from, to).map((piece, n) => {
            const i = from + n
            const Tag = piece.kind === 'program' ? 'strong' : 'span'
            return (
              <Tag key={i} className={redirectsOut(piece) || writes(i) ? css.writes : css[piece.kind]}>
                {isTall(piece.text) ? <BlankLines text={piece.text} /> : <FoldedText text={piece.text} split={splitCode} words={words} />}
              </Tag>
            )
          })
          if (!mark) return <Fragment key={from}>{shown}</Fragment>
          return (
            <mark key={from} className={css.risky} title={mark.why}>
              {shown}
            </mark>
          )
        })}
      </code>
    </li>
  )
}

/** Pieces that follow each other under one mark, or under none. */
function groupsOf(marks: readonly (Mark | null)[], length: number): { mark: Mark | null; from: number; to: number }[] {
  const groups: { mark: Mark | null; from: number; to: number }[] = []
  for (let i = 0; i < length; i++) {
    const mark = marks[i] ?? null
    const last = groups.at(-1)
    if (last?.mark === mark) last.to = i + 1
    else groups.push({ mark, from: i, to: i + 1 })
  }
  return groups
}
