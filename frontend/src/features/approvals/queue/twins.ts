import type { PendingCall } from '../../../desk/types'
import { riskRank } from './flood'

/**
 * The waiting calls that ask for the same as this one and are no riskier, so that
 * whoever has seen this one has seen them. Their inputs say the same: they may
 * differ in spaces, in the order of keys and in how characters are written. So
 * does what is beside the inputs. The folder is shown too, and what a call wants to be answered with is its own.
 */
export function twinsOf(call: PendingCall, items: readonly PendingCall[]): PendingCall[] {
  if (call.resumeSchema !== null) return []
  return items.filter(
    (other) =>
      other.id !== call.id &&
      other.agentId === call.agentId &&
      other.serverId === call.serverId &&
      other.method === call.method &&
      other.toolName === call.toolName &&
      other.inputHash === call.inputHash &&
      other.envelopeHash === call.envelopeHash &&
      other.cwd === call.cwd &&
      other.resumeSchema === null &&
      riskRank(other.risk) <= riskRank(call.risk),
  )
}
