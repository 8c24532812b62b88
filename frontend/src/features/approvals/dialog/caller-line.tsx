import type { PendingCall } from '../../../desk/types'
import { useCaller } from '../../../desk/use-caller'
import { useCallerWords } from '../../../i18n/use-caller-words'
import { quoteCut } from '../../../ui/quote'
import css from './approval-dialog.module.css'

/** What the agent is in its session, where the desk made that: its role, and its task. */
export function CallerLine({ call }: { call: PendingCall }) {
  const caller = useCaller(call)
  const words = useCallerWords(quoteCut)
  if (!caller || !words.coded) return null
  return <p className={css.soft}>{words.whole(caller)}</p>
}
