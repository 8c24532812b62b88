import { Fragment, memo } from 'react'
import { splitJsonText, splitRawText } from '../split-text'
import { Stretches } from '../stretches'
import css from './json-view.module.css'
import type { Piece } from './layout-json'

interface Props {
  of: readonly Piece[]
  /** There may be so many blocks that a browser had better lay out only those in view. */
  many?: boolean
  marks?: Marks | undefined
}

/** Stretches of texts, in their raw letters, by the number of the text among all. */
export type Marks = ReadonlyMap<number, readonly { from: number; to: number; why: string }[]>

/** The pieces of a layout, coloured by kind, hidden characters as chips. */
export const JsonPieces = memo(function JsonPieces({ of, many = false, marks }: Props) {
  let strings = -1
  return of.map((piece, i) => (
    <span key={i} className={many && piece.kind === 'block' ? css.manyBlocks : css[piece.kind]}>
      <Text piece={piece} marks={piece.kind === 'string' ? marks?.get(++strings) : undefined} />
    </span>
  ))
})

function Text({ piece: { kind, text }, marks }: { piece: Piece; marks: readonly { from: number; to: number; why: string }[] | undefined }) {
  if (marks) return <Marked text={text} marks={marks} />
  if (kind === 'key' || kind === 'string' || kind === 'block') return <Stretches of={splitJsonText(text)} />
  if (kind === 'raw') return <Stretches of={splitRawText(text)} />
  return text
}

function Marked({ text, marks }: { text: string; marks: readonly { from: number; to: number; why: string }[] }) {
  return (
    <>
      {marks.map(({ from, to, why }, i) => (
        <Fragment key={i}>
          <Stretches of={splitJsonText(text.slice(marks[i - 1]?.to ?? 0, from))} />
          <mark className={css.risky} title={why}>
            <Stretches of={splitJsonText(text.slice(from, to))} />
          </mark>
        </Fragment>
      ))}
      <Stretches of={splitJsonText(text.slice(marks.at(-1)?.to ?? 0))} />
    </>
  )
}
