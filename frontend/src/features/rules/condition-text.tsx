import { useAnswer, useLoaded } from '../../desk/queries'
import { useClauseWords } from '../../i18n/use-clause-words'
import { quote } from '../../ui/quote'
import { useAround } from './rules-context'

interface Props {
  condition: string
  /** It may be of no rule that there is: the desk is asked for its words. */
  ask?: boolean
}

/** A condition in words; in CEL where it cannot be said in words. */
export function ConditionText({ condition, ask = false }: Props) {
  const { wordings } = useAround()
  const words = useClauseWords(quote, useLoaded('agents').data)
  const known = wordings.get(condition)
  const asked = useAnswer(0, 'wordings', ask && !known ? [[condition]] : null)
  return <>{words.condition(condition, known ?? (asked.current ? asked.data?.[0] : undefined))}</>
}
