import type { Desk } from '../../desk/desk'
import { useDeskData } from '../../desk/use-desk-data'

const kinds = ['grants.', 'rules.', 'settings.', 'call.decided', 'session.', 'clock'] // grants are used, and end, without an event

/** All that allows without asking now: remembered answers, rules, and whether everything is held. */
const load = async (desk: Desk) => {
  const [grants, { rules }, settings] = await Promise.all([desk.grants(), desk.rules(), desk.settings()])
  const now = Date.now()
  const inForce = rules.filter((rule) => rule.enabled && (rule.expiresAt === null || Date.parse(rule.expiresAt) > now))
  return { grants, allowing: inForce.filter((rule) => rule.effect === 'allow').length, hold: settings.hold }
}

export function useGrants() {
  return useDeskData(load, kinds)
}
