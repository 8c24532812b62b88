import type { JsonWords } from './json-words'
import css from './json-view.module.css'
import type { JsonReading } from './use-json'

/** What is to be said of the whole of a text before it is read. */
export function JsonNotices({ reading: { counts, layout }, words }: { reading: JsonReading; words: JsonWords }) {
  return (
    <>
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
