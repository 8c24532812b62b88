import { JsonView } from '../json-view/json-view'
import type { JsonWords } from '../json-view/json-words'
import { clientMetadata } from './client-metadata'
import css from './envelope-view.module.css'

export interface EnvelopeWords {
  heading: string
  /** Says that it is of the agent, and reaches the server. */
  about: string
  folded: (names: string) => string
}

interface Props {
  raw: string
  words: EnvelopeWords
  json: JsonWords
}

/** What reaches the server of a call beside its name and its input, as it was sent. What clients send about themselves is one line until it is opened. */
export function EnvelopeView({ raw, words, json }: Props) {
  const names = clientMetadata(raw)
  return (
    <section className={css.envelope}>
      <h3 className={css.heading}>
        {words.heading} <small>{words.about}</small>
      </h3>
      {names === null ? (
        <JsonView raw={raw} words={json} />
      ) : (
        <details className={css.folded}>
          <summary>{words.folded(names.join(', '))}</summary>
          <JsonView raw={raw} words={json} />
        </details>
      )}
    </section>
  )
}
