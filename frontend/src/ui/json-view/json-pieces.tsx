import { memo } from 'react'
import { splitJsonText, splitRawText } from '../split-text'
import { Stretches } from '../stretches'
import css from './json-view.module.css'
import type { Piece } from './layout-json'

interface Props {
  of: readonly Piece[]
  /** There may be so many blocks that a browser had better lay out only those in view. */
  many?: boolean
}

/** The pieces of a layout, coloured by kind, hidden characters as chips. */
export const JsonPieces = memo(function JsonPieces({ of, many = false }: Props) {
  return of.map((piece, i) => (
    <span key={i} className={many && piece.kind === 'block' ? css.manyBlocks : css[piece.kind]}>
      <Text piece={piece} />
    </span>
  ))
})

function Text({ piece: { kind, text } }: { piece: Piece }) {
  if (kind === 'key' || kind === 'string' || kind === 'block') return <Stretches of={splitJsonText(text)} />
  if (kind === 'raw') return <Stretches of={splitRawText(text)} />
  return text
}
