import { useState } from 'react'
import { useDiffWords } from '../../../i18n/use-diff-words'
import { RepeatFold } from '../../../ui/repeat-fold'

/** So many ends of lines, with nothing but blanks between them, are folded. */
const fewest = 5

/** Whether a stretch between two steps is so many blank lines that they would push away what follows. */
export function isTall(text: string): boolean {
  return /^[ \t\n]*$/.test(text) && text.split('\n').length > fewest
}

/** Many blank lines of a command, as their number until they are unfolded. */
export function BlankLines({ text }: { text: string }) {
  const words = useDiffWords()
  const [open, setOpen] = useState(false)
  if (open) return text
  return (
    <>
      {'\n'}
      <RepeatFold
        count={text.split('\n').length - 2}
        blank
        words={words}
        onShow={() => {
          setOpen(true)
        }}
      />
    </>
  )
}
