import { useI18n } from '../../../i18n/i18n'
import type { Tally } from './decide-each'

/** What came of answers to many calls: "12 declined, 1 was settled before". */
export function TallyWords({ tally, approved }: { tally: Tally; approved: boolean }) {
  const { t, language } = useI18n()
  const { done, before, failed } = tally
  const words = [
    t(approved ? 'queue.tallyApproved' : 'queue.tallyDeclined', { count: done }),
    ...(before > 0 ? [t('queue.tallyBefore', { count: before })] : []),
    ...(failed > 0 ? [t('queue.tallyFailed', { count: failed })] : []),
  ]
  return new Intl.ListFormat(language, { type: 'conjunction', style: 'narrow' }).format(words)
}
