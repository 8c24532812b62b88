import { splitName, splitPath, splitText } from './split-text'
import { Stretches } from './stretches'
import css from './agent-text.module.css'

interface Props {
  children: string
  /** name: a tool, server or agent, quoted; path: a folder; prose: words of an agent or a server. */
  as?: 'name' | 'path' | 'prose'
}

const splits = { name: splitName, path: splitPath, prose: splitText }

/** Text that came from an agent or a server, visibly a quotation. */
export function AgentText({ children, as = 'name' }: Props) {
  const Tag = as === 'prose' ? 'q' : 'code'
  return (
    <Tag className={css[as]} dir="ltr" translate="no">
      <Stretches of={splits[as](children)} />
    </Tag>
  )
}
