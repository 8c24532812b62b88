import { CopyButton } from '../copy-button'
import { useFold } from '../folds'
import { ShowAll } from '../show-all'
import { JsonPieces, type Marks } from './json-pieces'
import type { JsonWords } from './json-words'
import css from './json-view.module.css'
import type { JsonReading } from './use-json'

interface Props {
  raw: string
  reading: JsonReading
  words: JsonWords
  /** Stretches of its texts that stand out, by the number of the text. */
  marks?: Marks
}

/** The text itself, laid out, with nothing of it hidden or changed, how long it is, and a way to copy it. */
export function JsonCode({ raw, reading, words, marks }: Props) {
  const { layout, counts, unfold, unfolding } = reading
  const fold = useFold()
  return (
    <>
      <pre className={css.code} role="group" dir="ltr" translate="no" tabIndex={0} aria-label={words.label}>
        <code>
          <JsonPieces of={layout.head} many={layout.folded === 0} marks={layout.folded === 0 ? marks : undefined} />
          {layout.folded > 0 && (
            <span className={css.fold} ref={fold}>
              <span>{words.folded(layout.folded)}</span>
              <ShowAll label={unfolding ? words.unfolding : words.showAll} busy={unfolding} onShow={unfold} />
            </span>
          )}
          <JsonPieces of={layout.tail} />
        </code>
      </pre>
      <p className={css.foot}>
        <span>
          {words.characters(raw.length)}
          {counts !== null && ` · ${words.lines(counts.lines)}`}
        </span>
        <CopyButton text={raw} label={words.copy} done={words.copied} />
      </p>
    </>
  )
}
