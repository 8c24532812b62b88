import { splitText } from '../../ui/split-text'
import { Stretches } from '../../ui/stretches'
import css from './work-screen.module.css'

/** A text of an agent, or for one, as a quotation whose line ends are line ends; all else that is not seen is marked. */
export function QuotedLines({ text }: { text: string }) {
  return (
    <blockquote className={css.quoted} translate="no">
      {text.split(/\r?\n/).map((line, i) => (
        <p key={i} dir="ltr">
          <Stretches of={splitText(line)} />
        </p>
      ))}
    </blockquote>
  )
}
