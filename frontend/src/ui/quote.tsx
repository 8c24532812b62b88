import { AgentText } from './agent-text'
import { CutText } from './cut-text'

/** Text of an agent or a server in the middle of words of ours. */
export const quote = (text: string, as?: 'path') => <AgentText as={as ?? 'name'}>{text}</AgentText>

/** The same, cut in the middle where it is long. */
export const quoteCut = (text: string, as?: 'path') => <CutText as={as}>{text}</CutText>
