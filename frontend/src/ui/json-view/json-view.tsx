import { useMemo, useState } from 'react'
import { CopyButton } from '../copy-button'
import { JsonPieces } from './json-pieces'
import { layoutJson } from './layout-json'
import css from './json-view.module.css'

/** The words of the view, in the person's language. */
export interface JsonWords {
  label: string
  noParameters: string
  notJson: string
  hidden: (count: number) => string
  folded: (count: number) => string
  size: (characters: number) => string
  showAll: string
  copy: string
  copied: string
}

/** The raw text of a JSON input, laid out, with nothing of it hidden or changed. */
export function JsonView({ raw, words }: { raw: string; words: JsonWords }) {
  const [whole, setWhole] = useState(false)
  const layout = useMemo(() => layoutJson(raw, whole), [raw, whole])
  return (
    <div className={css.view}>
      {!layout.json && <p className={css.notice}>{words.notJson}</p>}
      {layout.hidden > 0 && (
        <p className={css.notice} role="note">
          {words.hidden(layout.hidden)}
        </p>
      )}
      {layout.empty && <p className={css.empty}>{words.noParameters}</p>}
      <pre className={css.code} role="group" dir="ltr" translate="no" tabIndex={0} aria-label={words.label}>
        <code>
          <JsonPieces of={layout.head} />
          {layout.folded > 0 && (
            <span className={css.fold}>
              <span>{words.folded(layout.folded)}</span>
              <button
                type="button"
                className={css.more}
                onClick={() => {
                  setWhole(true)
                }}
              >
                {words.showAll}
              </button>
            </span>
          )}
          <JsonPieces of={layout.tail} />
        </code>
      </pre>
      <p className={css.foot}>
        <span>{words.size(raw.length)}</span>
        <CopyButton text={raw} label={words.copy} done={words.copied} />
      </p>
    </div>
  )
}
