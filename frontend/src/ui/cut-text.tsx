import css from './agent-text.module.css'
import { isPrintableAscii } from './hidden-characters'
import { once } from './once'
import { splitName, splitPath, type Stretch } from './split-text'
import { Stretches } from './stretches'

/** The longest text that is shown whole, and what is kept of both ends of a longer one, in characters. */
const longest = 56
const head = 20
const tail = 32

/** As how many characters a mark counts: it has a code point beside it. */
const ofMark = 8

/**
 * A name or a path in a sentence: a long one is cut in the middle, since its end tells most.
 * What is not as it looks is marked before it is cut, and no mark is cut in two.
 */
export function CutText({ children, as = 'name' }: { children: string; as?: 'name' | 'path' | undefined }) {
  const all = (as === 'path' ? splitPath : splitName)(children)
  const whole = all.reduce((n, stretch) => n + lengthOf(stretch), 0) <= longest
  return (
    <code className={css[as]} dir="ltr" translate="no" title={whole ? undefined : children}>
      {whole ? (
        <Stretches of={all} />
      ) : (
        <>
          <Stretches of={ended(all, head, 1)} />
          <span className={css.cut}>…</span>
          <Stretches of={ended(all.toReversed(), tail, -1).toReversed()} />
        </>
      )}
    </code>
  )
}

const segmenter = once(() => new Intl.Segmenter(undefined, { granularity: 'grapheme' }))

function lettersOf(text: string): string[] {
  if (isPrintableAscii(text)) return text.split('')
  return Array.from(segmenter().segment(text), ({ segment }) => segment)
}

const isText = ({ kind }: Stretch) => kind === 'plain' || kind === 'leftward'

/** About as long as it is to a reader; only what is short is counted in letters. */
const lengthOf = (stretch: Stretch): number =>
  !isText(stretch) ? ofMark : 'text' in stretch && stretch.text.length <= longest ? lettersOf(stretch.text).length : longest + 1

/** The first stretches, up to a number of characters; of the last of them its beginning (1) or its end (-1). */
function ended(all: readonly Stretch[], most: number, side: 1 | -1): Stretch[] {
  const kept: Stretch[] = []
  let left = most
  for (const stretch of all) {
    if (left <= 0) break
    if (isText(stretch) && 'text' in stretch && lengthOf(stretch) > left) {
      const near = side === 1 ? stretch.text.slice(0, 16 * most) : stretch.text.slice(-16 * most)
      const letters = lettersOf(near)
      kept.push({ ...stretch, text: (side === 1 ? letters.slice(0, left) : letters.slice(-left)).join('') })
      break
    }
    kept.push(stretch)
    left -= lengthOf(stretch)
  }
  return kept
}
