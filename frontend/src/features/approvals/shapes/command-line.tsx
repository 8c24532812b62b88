import type { CommandPiece } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { FoldedText } from '../../../ui/folded-text'
import { splitCode } from '../../../ui/split-text'
import css from './shapes.module.css'
import { redirectsOut, targetsIn } from './writes'

/** One step of a command: its program stands out, and so do the files that it writes. */
export function CommandLine({ pieces }: { pieces: readonly CommandPiece[] }) {
  const { t } = useI18n()
  const words = { folded: (count: number) => t('input.folded', { count }), showAll: t('input.showAll') }
  const targets = targetsIn(pieces)
  const writes = (i: number) => targets.some(({ from, to }) => i >= from && i < to)
  return (
    <li className={css.step}>
      <code>
        {pieces.map((piece, i) => {
          const Tag = piece.kind === 'program' ? 'strong' : 'span'
          return (
            <Tag key={i} className={redirectsOut(piece) || writes(i) ? css.writes : css[piece.kind]}>
              <FoldedText text={piece.text} split={splitCode} words={words} />
            </Tag>
          )
        })}
      </code>
    </li>
  )
}
