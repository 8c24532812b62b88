import { AgentText } from './agent-text'
import { cutText, widthOf } from './cut-text'
import css from './object-text.module.css'

/** What a call is about, in one line that is cut in its middle where it is too long: never at the end of a file's name. */
export function ObjectText({ children }: { children: string }) {
  const cut = cutText(children)
  if (!cut) return <AgentText as="path">{children}</AgentText>
  return (
    <code className={css.text} dir="ltr" translate="no" title={children}>
      {cut.head !== '' && (
        <span className={css.head} data-beside={roomFor(cut.tail)}>
          {cut.head}
        </span>
      )}
      <span className={css.tail}>{cut.tail}</span>
    </code>
  )
}

/** The style sheet knows a few widths of what stands beside the head. */
function roomFor(tail: string): number {
  return Math.ceil(widthOf(tail) / 8) * 8
}
