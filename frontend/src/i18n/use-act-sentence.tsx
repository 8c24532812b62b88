import type { ReactNode } from 'react'
import { useCoded } from './coded'
import type { Quote } from './listed'
import { useSummaryWords, type SaidSummary } from './use-summary-words'

/** What a sentence is made of: what the desk says of a call, and the folder that paths are shortened by. */
export interface SaidCall {
  summary?: SaidSummary | null | undefined
  cwd?: string | null
  toolName: string
  serverId: string | null
}

/** Who wants what of which object, in the person's language; quote shows text of agents and servers. */
export function useActSentence(quote: Quote) {
  const { tx, coded } = useCoded()
  const words = useSummaryWords(quote)
  /** The middle of the sentence alone, for a list that says otherwise who asks: "change notes.txt, +2 −1". */
  const act = (call: SaidCall): ReactNode => words.act(within(call.summary ?? byName(call), call.cwd ?? null))
  return {
    act,
    /** "claude-code wants to change notes.txt, +2 −1" */
    sentence: (who: ReactNode, call: SaidCall): ReactNode =>
      coded ? (
        tx('wants.call', { agent: who, act: act(call) })
      ) : (
        <>
          {who}: {act(call)}
        </>
      ),
  }
}

/** What is said of a call by its tool alone. */
export function byName({ toolName, serverId }: Pick<SaidCall, 'toolName' | 'serverId'>): SaidSummary {
  const params = serverId === null ? { tool: toolName } : { tool: toolName, server: serverId }
  return { code: serverId === null ? 'calls_own' : 'calls', params, programs: [], rest: [], text: toolName }
}

/** Whether the sentence of a call names its tool, since it says no more of it. */
export function isNamed({ summary }: Pick<SaidCall, 'summary'>): boolean {
  return !summary || ['calls', 'calls_own', 'reads_resource', 'subscribes', 'gets_prompt'].includes(summary.code)
}

/** A summary whose path is written from the folder of the call on, where it lies in it. */
function within(summary: SaidSummary, folder: string | null): SaidSummary {
  const path = summary.params.path
  if (folder === null || typeof path !== 'string') return summary
  const base = folder.replace(/[\\/]+$/, '')
  const rest = path.slice(base.length + 1)
  const inside = base !== '' && path.startsWith(base) && /^[\\/][^\\/]/.test(path.slice(base.length)) && !/(?:^|[\\/])\.\.?(?:[\\/]|$)/.test(rest)
  return inside ? { ...summary, params: { ...summary.params, path: rest } } : summary
}
