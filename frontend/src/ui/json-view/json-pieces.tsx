import { splitJsonText, splitText } from '../split-text'
import { Stretches } from '../stretches'
import type { Piece } from './layout-json'
import css from './json-view.module.css'
import { safeCut } from './safe-cut'

/** Beyond this many pieces colours cost more than they tell: the text is shown in blocks without them. */
const colouredPieces = 20_000
const blockLength = 20_000

/** The pieces of a layout, coloured by kind, hidden characters as chips. */
export function JsonPieces({ of }: { of: readonly Piece[] }) {
  if (of.length > colouredPieces || of.some((p) => p.text.length > 4 * blockLength)) return <Blocks text={of.map((p) => p.text).join('')} />
  return of.map((piece, i) => (
    <span key={i} className={css[piece.kind]}>
      <Text piece={piece} />
    </span>
  ))
}

function Text({ piece }: { piece: Piece }) {
  if (piece.kind === 'key' || piece.kind === 'string') return <Stretches of={splitJsonText(piece.text)} />
  if (piece.kind === 'raw') return <Stretches of={splitText(piece.text)} />
  return piece.text
}

/** Very long text: each block is laid out by the browser only when it comes into view. */
function Blocks({ text }: { text: string }) {
  const blocks: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = safeCut(text, at + blockLength)
    blocks.push(text.slice(at, end))
    at = end
  }
  return blocks.map((block, i) => (
    <span key={i} className={css.block}>
      <Stretches of={splitJsonText(block)} />
    </span>
  ))
}
