import { useLive } from '../../../desk/live'
import type { PendingCall, ToolLook } from '../../../desk/types'

export interface ToolLooked {
  /** The desk has answered, if only that it cannot say. */
  known: boolean
  /** Whether the tool changed cannot be told: there is nothing to look at. */
  doubtful: boolean
  look: ToolLook | null
}

/**
 * What changed of a call's tool, where that is why a person is asked; as it is now. With
 * each change the call has another shownRev: what was loaded for an earlier one is not it.
 * Render it under a key of the call.
 */
export function useToolLook({ serverId, toolName, why, shownRev }: PendingCall): ToolLooked {
  const doubtful = why.changed === 'unknown'
  const changed = Boolean(why.changed) && !doubtful && serverId !== null
  const { data: look, error } = useLive('tool', changed ? [serverId, toolName] : null, shownRev)
  return { known: !changed || look !== null || error !== null, doubtful, look }
}
