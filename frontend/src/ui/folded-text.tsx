import { useState } from 'react'
import css from './folded-text.module.css'
import { useFold } from './folds'
import { ShowAll } from './show-all'
import { Stretches } from './stretches'
import type { Stretch } from './split-text'

export interface FoldWords {
  folded: (characters: number) => string
  showAll: string
}

interface Props {
  text: string
  split: (text: string) => Stretch[]
  words: FoldWords
  /** What was folded is shown. */
  onShow?: (() => void) | undefined
}

const foldAbove = 12_000
const keptLength = 4_000

/** Whether a text is so long that it is folded at first. */
export const isLong = (text: string) => text.length > foldAbove

/** Text with its hidden characters marked; a very long one folds in the middle, with a count. */
export function FoldedText({ text, split, words, onShow }: Props) {
  const [whole, setWhole] = useState(false)
  const fold = useFold()
  if (whole || !isLong(text)) return <Stretches of={split(text)} />
  const [from, to] = [betweenPairs(text, keptLength), betweenPairs(text, text.length - keptLength)]
  return (
    <>
      <Stretches of={split(text.slice(0, from))} />
      <span className={css.fold} ref={fold}>
        {words.folded(to - from)}
        <ShowAll
          label={words.showAll}
          onShow={() => {
            setWhole(true)
            onShow?.()
          }}
        />
      </span>
      <Stretches of={split(text.slice(to))} />
    </>
  )
}

/** Not within a character of two halves. */
function betweenPairs(text: string, at: number): number {
  return /[\uDC00-\uDFFF]/.test(text[at] ?? '') ? at - 1 : at
}
