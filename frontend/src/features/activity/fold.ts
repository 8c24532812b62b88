import { commonLength } from '../../lists/common-length'
import type { Call } from '../../desk/types'

/** A call, or readings that are alike, newest first. */
export interface Fold {
  /** The id of the oldest: it stays when the same is read once more. */
  id: string
  newest: Call
  /** The others. */
  older: readonly Call[]
}

/** Calls, and the same with readings folded. */
export interface Folds {
  calls: readonly Call[]
  folds: readonly Fold[]
  /** Where the readings of the stretch that the calls end in were folded into, by what is the same of those that are alike. */
  stretch: Map<string, number>
}

const none: readonly Call[] = []

/**
 * Folds readings of the same that nobody was asked about: an agent that looks at a resource every second leaves a line, not a
 * screen. Only within a stretch of such readings, so that no reading leaves its place among the calls around it. It goes on
 * from before, which is used up by that, where only older calls were added.
 */
export function folded(before: Folds | null, calls: readonly Call[]): Folds {
  const known = before && commonLength(before.calls, calls) === before.calls.length ? before : null
  const stretch = known?.stretch ?? new Map<string, number>()
  const folds = known?.folds.slice() ?? []
  /** Those that are no one else's yet. */
  const own = new Set<Fold>()
  for (let i = known?.calls.length ?? 0; i < calls.length; i++) {
    const call = calls[i] as Call
    const key = keyOf(call)
    if (key === null) stretch.clear()
    const at = key === null ? undefined : stretch.get(key)
    const same = at === undefined ? undefined : folds[at]
    if (at !== undefined && same) {
      const fold = own.has(same) ? same : { ...same, older: [...same.older] }
      fold.id = call.id
      ;(fold.older as Call[]).push(call)
      folds[at] = fold
      own.add(fold)
      continue
    }
    if (key !== null) stretch.set(key, folds.length)
    folds.push({ id: call.id, newest: call, older: none })
  }
  return { calls, folds, stretch }
}

/** The same for readings that are alike; null for a call that stands by itself. */
function keyOf(call: Call): string | null {
  if (call.method === 'tools/call') return null // most calls
  const { method, status, decision, agentId, sessionId, serverId, toolName, inputHash, envelopeHash, inputWiped, risk } = call
  const asked = decision === null || decision.by === 'person'
  if (status !== 'completed' || asked) return null
  return JSON.stringify([method, agentId, sessionId, serverId, toolName, inputHash, envelopeHash, inputWiped, risk, decision.by, decision.ruleId, decision.grantId])
}
