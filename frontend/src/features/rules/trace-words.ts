import type { useI18n } from './screen'

/** What the desk says of a rule that applies behind the one that decides. */
export const later = 'would apply, but an earlier rule decided'

/** The desk's own words for why a rule applied or not, and ours. */
const words = {
  applies: 'rules.why.applies',
  [later]: 'rules.why.later',
  disabled: 'rules.why.disabled',
  expired: 'rules.why.expired',
  'server differs': 'rules.why.server',
  'not about this method': 'rules.why.method',
  'tool name differs': 'rules.why.tool',
  'pattern does not match': 'rules.why.pattern',
  'only a deny rule applies to a bad name': 'rules.why.badName',
  'not looked at: the name is too long': 'rules.why.long',
  'condition is false': 'rules.why.condition',
  'judged part by part': 'rules.why.parts',
  'the line cannot be taken apart: only a rule that fixes all of it, or that does not look at it, allows it': 'rules.why.opaque',
  'it runs code: only a rule that fixes all of it, or that does not look at it, allows it': 'rules.why.code',
  'it writes a file: only a rule that fixes all of it, looks at writes or does not look at the line allows it': 'rules.why.writes',
  'an ask or deny rule before it applies to a part': 'rules.why.blocked',
} as const

/** Conditions that could not be asked, and limits; the desk says more behind the colon. */
const failures = { 'condition failed: ': 'rules.why.failed', 'applies, since its condition failed: ': 'rules.why.doubt', 'its limit is reached: ': 'rules.why.limit' } as const

/** Why a rule applied or not, in the person's language; in the desk's where we have no words for it. */
export function whyText(t: ReturnType<typeof useI18n>['t'], why: string): string {
  const known = Object.entries(words).find(([said]) => said === why)
  if (known) return t(known[1])
  const failed = Object.entries(failures).find(([said]) => why.startsWith(said))
  return failed ? t(failed[1], { message: why.slice(failed[0].length) }) : why
}
