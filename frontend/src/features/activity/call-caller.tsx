import type { Call } from '../../desk/types'
import { useCaller } from '../../desk/use-caller'
import { useCallerWords } from '../../i18n/use-caller-words'
import { quoteCut } from '../../ui/quote'

/** What the agent is in the session of a call that the desk made, with the way to its task. */
export function CallCaller({ call }: { call: Call }) {
  const caller = useCaller(call)
  const words = useCallerWords(quoteCut)
  if (!caller || !words.coded) return null
  const { projectId, task } = caller
  if (!task) return <span>{words.whole(caller)}</span>
  return <a href={`#/work?project=${encodeURIComponent(projectId)}&task=${encodeURIComponent(task.id)}`}>{words.whole(caller)}</a>
}
