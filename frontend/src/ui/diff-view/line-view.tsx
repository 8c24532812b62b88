import { FoldedText } from '../folded-text'
import { splitCode } from '../split-text'
import { Stretches } from '../stretches'
import type { WordPart } from './changed-words'
import css from './diff-view.module.css'
import type { DiffLine } from './diff-lines'
import type { DiffWords } from './diff-words'

interface Props {
  line: DiffLine
  words: DiffWords
  /** What changed within the line, where that is told. */
  parts?: readonly WordPart[] | undefined
  /** All of a long line is shown. */
  onShow: () => void
}

/** One line. Its numbers and its sign are drawn by the style sheet, so that they are not copied with the text. */
export function LineView({ line, words, parts, onShow }: Props) {
  if (line.kind === 'gap') return <li className={css.gap}>{words.gap(line.count)}</li>
  return (
    <li className={`${css.line ?? ''} ${css[line.kind] ?? ''}`} data-old={numeral(line.old)} data-new={numeral(line.new)}>
      {line.kind !== 'same' && <span className="visually-hidden">{line.kind === 'added' ? words.added : words.removed} </span>}
      <code className={css.text}>
        {parts ? (
          parts.map(({ text, changed }, i) =>
            changed ? (
              <span key={i} className={css.word}>
                <Stretches of={splitCode(text)} />
              </span>
            ) : (
              <Stretches key={i} of={splitCode(text)} />
            ),
          )
        ) : (
          <FoldedText text={line.text} split={splitCode} words={words} onShow={onShow} />
        )}
        {line.ending !== '' && <mark className={css.ending}>{line.ending === 'crlf' ? words.crlf : words.noEnd}</mark>}
      </code>
    </li>
  )
}

function numeral(n: number): string {
  return n > 0 ? String(n) : ''
}
