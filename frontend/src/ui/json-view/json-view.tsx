import { JsonCode } from './json-code'
import { JsonNotices } from './json-notices'
import type { JsonWords } from './json-words'
import css from './json-view.module.css'
import { useJson } from './use-json'

/** The raw text of a JSON input, laid out, with nothing of it hidden or changed. */
export function JsonView({ raw, words }: { raw: string; words: JsonWords }) {
  const reading = useJson(raw)
  return (
    <div className={css.view}>
      <JsonNotices raw={raw} reading={reading} words={words} />
      <JsonCode raw={raw} reading={reading} words={words} />
    </div>
  )
}
