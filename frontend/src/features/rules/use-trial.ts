import { useMemo, useState } from 'react'
import { useAnswer, useLoaded } from '../../desk/queries'
import type { Result } from '../../desk/resources'
import type { MadeCall, Query } from '../../desk/types'
import { jsonFault } from './json-fault'
import { thinkingMs, useAround } from './rules-context'

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
  /** Of an agent that is made up; empty is that of the agent. */
  agentName: string
  /** The kind of the agent's helper; empty is the agent itself. */
  agentSubagent: string
  sessionId: string
  cwd: string
}

export const noTrial: Trial = { serverId: '', method: 'tools/call', toolName: '', input: '', envelope: '', agentId: '', agentName: '', agentSubagent: '', sessionId: '', cwd: '' }

/** A trial that is being written, and what the rules say of it as they are now. */
export function useTrial(callId: string, start: Trial | null) {
  const { policyVersion } = useAround()
  const { data: found, error } = useLoaded('asked', callId === '' ? null : [callId])
  const [written, setWritten] = useState(start)
  const trial = written ?? (found ? trialOf(found) : noTrial) // what was written meanwhile stays
  const input = trial.input.trim() === '' ? '{}' : trial.input
  const fault = useMemo(() => jsonFault(input), [input])
  const query: Query | null = trial.toolName === '' || fault ? null : { ...namesOf(trial), input }
  const verdict = useAnswer(thinkingMs, 'evaluate', query && [query], policyVersion)
  const change = (part: Partial<Trial>) => {
    setWritten({ ...trial, ...part })
  }
  return { trial, change, fault, verdict, asked: query !== null, error: written === null ? error : null }
}

/** A call as it was asked. What was removed of its input cannot be tried again: then it is {}. */
function trialOf({ call, raw, envelope }: Result<'asked'>): Trial {
  const { method, toolName, agentId, sessionId } = call
  return { serverId: call.serverId ?? '', method, toolName, input: raw, envelope: envelope ?? '', agentId, agentName: '', agentSubagent: call.agentSubagent ?? '', sessionId, cwd: call.cwd ?? '' }
}

function namesOf({ serverId, method, toolName, envelope, agentId, agentName, agentSubagent, sessionId, cwd }: Trial): Omit<Query, 'input'> {
  return { serverId: serverId || null, method, toolName, ...(envelope && { envelope }), ...(agentId && { agentId }), ...(agentName && { agentName }), ...(agentSubagent && { agentSubagent }), ...(sessionId && { sessionId }), ...(cwd && { cwd }) }
}

/** A call that the desk made up, as a trial. */
export function trialOfMade({ serverId, toolName, method, input = '', agentId = '', agentName = '', agentSubagent = '', sessionId = '', cwd = '' }: MadeCall): Trial {
  return { serverId: serverId ?? '', method: method ?? noTrial.method, toolName, input, envelope: '', agentId, agentName, agentSubagent, sessionId, cwd }
}
