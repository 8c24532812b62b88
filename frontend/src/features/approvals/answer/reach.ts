/** How far a yes reaches, and what of that may be offered. */
import type { Answer, Coverage, PendingCall, Scope } from '../../../desk/types'

export interface Reach {
  scope: Scope
  /** How long a wider scope lasts; null is to the end of the session. */
  forSeconds: number | null
}

export const onlyThis: Reach = { scope: 'once', forSeconds: null }

/** To the end of the session, a quarter of an hour, and an hour. */
export const spans = [null, 900, 3600] as const

export function spanName(forSeconds: number | null): 'approval.span.session' | 'approval.span.quarter' | 'approval.span.hour' {
  if (forSeconds === null) return 'approval.span.session'
  return forSeconds === 900 ? 'approval.span.quarter' : 'approval.span.hour'
}

/** Why a yes to a call can be for this one only; null where it may reach further. */
export type OnlyOnce = 'edited' | 'changed' | 'kind' | (typeof saidByDesk)[number]

/** What the desk says of it. */
const saidByDesk = ['high_risk', 'opaque', 'code', 'unusual', 'own_question', 'data', 'no_session', 'envelope'] as const

export function onlyOnce(call: PendingCall, edited: boolean): OnlyOnce | null {
  if (edited) return 'edited'
  if (call.resumeSchema !== null) return 'data'
  if (call.why.changed) return 'changed'
  if (call.covers !== null && call.onlyOnce === '') return null
  return saidByDesk.find((word) => word === call.onlyOnce) ?? 'kind'
}

/** What a yes of a scope lets pass beside the call; null: nothing. */
export function coverageOf({ covers }: PendingCall, scope: Scope): Coverage | null {
  if (scope === 'once') return null
  return covers?.[scope] ?? null
}

/** Whether a call is Claude Code's plan, which a mode to go on in is chosen for. */
export const isPlan = ({ serverId, toolName }: PendingCall): boolean => serverId === null && toolName === 'ExitPlanMode'

/** Whether a yes with this data lets the agent's whole session pass: of a plan, the mode that asks nothing was chosen. As the
 * desk sees it, it has to be a choice there: a text that says so is the answer to this call alone. */
export function bypasses(call: PendingCall, data: string): boolean {
  if (!isPlan(call)) return false
  const schema = call.resumeSchema as { properties?: { mode?: { enum?: unknown } } } | boolean | null
  const choices = typeof schema === 'object' ? schema?.properties?.mode?.enum : null
  if (!Array.isArray(choices) || !choices.includes('bypassPermissions')) return false
  try {
    return (JSON.parse(data) as { mode?: unknown } | null)?.mode === 'bypassPermissions'
  } catch {
    return false // nothing is chosen yet
  }
}

/** The scopes that a yes may have. */
export function scopesFor(call: PendingCall, edited: boolean): Scope[] {
  if (onlyOnce(call, edited) !== null) return ['once']
  return (['once', 'class', 'session'] as const).filter((scope) => scope === 'once' || coverageOf(call, scope) !== null)
}

/** The reach as an answer says it; of one call it says nothing. */
export function asAnswer({ scope, forSeconds }: Reach): Pick<Answer, 'scope' | 'forSeconds'> {
  if (scope === 'once') return {}
  return forSeconds === null ? { scope } : { scope, forSeconds }
}
