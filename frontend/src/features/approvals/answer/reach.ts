/** How far a yes reaches, and what of that may be offered. */
import type { Answer, PendingCall, Scope } from '../../../desk/types'

export interface Reach {
  scope: Scope
  /** How long a wider scope lasts; null is to the end of the session. */
  forSeconds: number | null
}

export const onlyThis: Reach = { scope: 'once', forSeconds: null }

export const scopeNames = { once: 'approval.scope.once', class: 'approval.scope.class', session: 'approval.scope.session' } as const

/** To the end of the session, a quarter of an hour, and an hour. */
export const spans = [null, 900, 3600] as const

export function spanName(forSeconds: number | null): 'approval.span.session' | 'approval.span.quarter' | 'approval.span.hour' {
  if (forSeconds === null) return 'approval.span.session'
  return forSeconds === 900 ? 'approval.span.quarter' : 'approval.span.hour'
}

/** Why a yes to a call can be for this one only; null where it may reach further. */
export type OnlyOnce = 'edited' | 'data' | 'changed' | 'kind'

export function onlyOnce(call: PendingCall, edited: boolean): OnlyOnce | null {
  if (edited) return 'edited'
  if (call.resumeSchema !== null) return 'data'
  if (call.why.changed) return 'changed'
  return call.class === null ? 'kind' : null
}

/** The scopes that a yes may have. Never the whole session at high risk: nobody can mean all of that. */
export function scopesFor(call: PendingCall, edited: boolean): Scope[] {
  if (onlyOnce(call, edited) !== null) return ['once']
  return call.risk === 'high' ? ['once', 'class'] : ['once', 'class', 'session']
}

/** The reach as an answer says it; of one call it says nothing. */
export function asAnswer({ scope, forSeconds }: Reach): Pick<Answer, 'scope' | 'forSeconds'> {
  if (scope === 'once') return {}
  return forSeconds === null ? { scope } : { scope, forSeconds }
}
