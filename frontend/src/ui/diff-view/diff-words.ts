import type { FoldWords } from '../folded-text'

/** The words of a difference, in the person's language. */
export interface DiffWords extends FoldWords {
  /** For screen readers, before the line. */
  added: string
  removed: string
  gap: (lines: number) => string
  crlf: string
  noEnd: string
  foldedLines: (lines: number) => string
}
