import css from './folded-text.module.css'
import { ShowAll } from './show-all'

export interface RepeatWords {
  /** Blank lines that are folded. */
  blankLines: (count: number) => string
  /** Lines that are folded, equal to the one before. */
  sameLines: (count: number) => string
  showAll: string
}

interface Props {
  count: number
  blank: boolean
  words: RepeatWords
  onShow: () => void
}

/** Stands for lines that are folded: how many, and what they hold. */
export function RepeatFold({ count, blank, words, onShow }: Props) {
  return (
    <span className={css.fold}>
      {blank ? words.blankLines(count) : words.sameLines(count)}
      <ShowAll label={words.showAll} onShow={onShow} />
    </span>
  )
}
