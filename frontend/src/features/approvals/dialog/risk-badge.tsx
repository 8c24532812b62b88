import type { Risk, RiskReason } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { useCodeWords } from '../../../i18n/use-code-words'
import { Badge } from '../../../ui/badge'

const tones = { low: 'allow', medium: 'care', high: 'deny' } as const

/** The desk's own estimate; its reasons are in the title. */
export function RiskBadge({ risk, reasons }: { risk: Risk; reasons: readonly RiskReason[] }) {
  const { t } = useI18n()
  const words = useCodeWords('riskReason')
  return (
    <Badge icon={risk} tone={tones[risk]} title={reasons.map(words.plain).join('\n')}>
      {t(`risk.${risk}`)}
    </Badge>
  )
}
