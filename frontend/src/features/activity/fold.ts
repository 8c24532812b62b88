import type { Call } from '../../desk/types'

/** A call, or readings that are alike, newest first. */
export interface Fold {
  /** The id of the oldest: it stays when the same is read once more. */
  id: string
  newest: Call
  /** The others. */
  older: readonly Call[]
}

const none: readonly Call[] = []

/**
 * Folds readings of the same that nobody was asked about: an agent that looks at a resource every second leaves a line, not a
 * screen. Only within a stretch of such readings, so that no reading leaves its place among the calls around it.
 */
export function folded(calls: readonly Call[]): Fold[] {
  const folds: { id: string; newest: Call; older: readonly Call[] }[] = []
  const stretch = new Map<string, (typeof folds)[number]>()
  for (const call of calls) {
    const key = keyOf(call)
    if (key === null) stretch.clear()
    const same = key === null ? undefined : stretch.get(key)
    if (same) {
      same.id = call.id
      if (same.older === none) same.older = [call]
      else (same.older as Call[]).push(call)
      continue
    }
    const fold = { id: call.id, newest: call, older: none }
    if (key !== null) stretch.set(key, fold)
    folds.push(fold)
  }
  return folds
}

/** The same for readings that are alike; null for a call that stands by itself. */
function keyOf(call: Call): string | null {
  if (call.method === 'tools/call') return null // most calls
  const { method, status, decision, agentId, sessionId, serverId, toolName, inputHash, envelopeHash, inputWiped, risk } = call
  const asked = decision === null || decision.by === 'person'
  if (status !== 'completed' || asked) return null
  return JSON.stringify([method, agentId, sessionId, serverId, toolName, inputHash, envelopeHash, inputWiped, risk, decision.by, decision.ruleId, decision.grantId])
}
