import type { JsonWords } from './json-words'
import css from './json-view.module.css'
import type { JsonReading } from './use-json'

interface Props {
  raw: string
  reading: JsonReading
  words: JsonWords
}

/** What is to be said of the whole of a text before it is read. */
export function JsonNotices({ raw, reading: { counts, layout }, words }: Props) {
  return (
    <>
      {layout.folded > 0 && <p className={css.counting}>{words.long(raw.length, layout.folded)}</p>}
      {!(counts?.json ?? layout.json) && <p className={css.notice}>{words.notJson}</p>}
      <div role="status" className={css.counts}>
        {counts === null && <p className={css.counting}>{words.counting}</p>}
        {counts !== null && counts.hidden > 0 && <p className={css.notice}>{words.hidden(counts.hidden)}</p>}
        {counts !== null && counts.foreign > 0 && <p className={css.notice}>{words.foreign(counts.foreign)}</p>}
      </div>
      {counts?.empty && <p className={css.empty}>{words.noParameters}</p>}
    </>
  )
}
