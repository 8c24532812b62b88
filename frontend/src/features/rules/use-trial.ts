import { useEffect, useMemo, useState } from 'react'
import type { Desk } from '../../desk/desk'
import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'
import type { Query, Verdict } from '../../desk/types'
import { jsonFault } from './json-fault'
import { useAround } from './rules-context'
import { useAnswer, type Answer } from './use-answer'

/** A call to try the rules with, as it is written. */
export interface Trial {
  serverId: string
  method: string
  toolName: string
  /** JSON text; empty is {}. */
  input: string
  /** What it brings beside the input, as it was sent; empty is nothing. */
  envelope: string
  agentId: string
  sessionId: string
  cwd: string
}

export const noTrial: Trial = { serverId: '', method: 'tools/call', toolName: '', input: '', envelope: '', agentId: '', sessionId: '', cwd: '' }

/** A trial that is being written, and what the rules say of it as they are now. */
export function useTrial(callId: string) {
  const desk = useDesk()
  const { policyVersion } = useAround()
  const [trial, setTrial] = useState(noTrial)
  const [error, setError] = useState<DeskError | null>(null)
  useEffect(() => {
    if (callId === '') return
    let over = false
    trialOf(desk, callId).then(
      (found) => {
        if (!over) setTrial((now) => (now === noTrial ? found : now)) // what was written meanwhile stays
      },
      (thrown: unknown) => {
        if (!over) setError(DeskError.from(thrown))
      },
    )
    return () => {
      over = true
    }
  }, [desk, callId])
  const input = trial.input.trim() === '' ? '{}' : trial.input
  const fault = useMemo(() => jsonFault(input), [input])
  const query: Query | null = trial.toolName === '' || fault ? null : { ...namesOf(trial), input }
  const verdict: Answer<Verdict> = useAnswer(query, policyVersion, evaluate)
  const change = (part: Partial<Trial>) => {
    setError(null)
    setTrial({ ...trial, ...part })
  }
  return { trial, change, fault, verdict, asked: query !== null, error }
}

const evaluate = (desk: Desk, query: Query) => desk.evaluate(query)

/** A call as it was asked. What was removed of its input cannot be tried again: then it is {}. */
async function trialOf(desk: Desk, callId: string): Promise<Trial> {
  const call = await desk.call(callId)
  const [input, envelope] = call.inputWiped ? ['', ''] : await Promise.all([desk.input(callId), call.envelopeHash === null ? '' : desk.envelope(callId)])
  return { serverId: call.serverId ?? '', method: call.method, toolName: call.toolName, input, envelope, agentId: call.agentId, sessionId: call.sessionId, cwd: call.cwd ?? '' }
}

function namesOf({ serverId, method, toolName, envelope, agentId, sessionId, cwd }: Trial): Omit<Query, 'input'> {
  return { serverId: serverId || null, method, toolName, ...(envelope && { envelope }), ...(agentId && { agentId }), ...(sessionId && { sessionId }), ...(cwd && { cwd }) }
}
