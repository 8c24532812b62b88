import type { FoldWords } from '../folded-text'
import type { RepeatWords } from '../repeat-fold'

/** The words of a difference, in the person's language. */
export interface DiffWords extends FoldWords, RepeatWords {
  /** For screen readers, before the line. */
  added: string
  removed: string
  gap: (lines: number) => string
  crlf: string
  noEnd: string
  foldedLines: (lines: number) => string
}
