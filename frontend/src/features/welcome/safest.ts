import type { Call, Offer } from '../../desk/types'

/** Whether a rule is offered for a call at all: for one that a person approved, and that is not of high risk. */
export function mayBeOffered({ decision, risk }: Call): boolean {
  return decision?.by === 'person' && decision.approved && risk !== 'high'
}

/**
 * The rule that is offered first, or null. The desk offers none that lets a call of high risk pass; this only ever takes
 * away: one that is not an allow rule, that reaches high risk, or that would have allowed what a person declined.
 */
export function safest(offers: readonly Offer[]): Offer | null {
  const offer = offers.find(({ first }) => first)
  if (!offer || offer.rule.effect !== 'allow' || !offer.rule.enabled) return null
  if (offer.covers.params.maxRisk === 'high' || offer.past.maxRisk === 'high' || offer.past.declined > 0) return null
  return offer
}
