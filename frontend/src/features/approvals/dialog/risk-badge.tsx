import type { Risk } from '../../../desk/types'
import { useI18n } from '../../../i18n/i18n'
import { Badge } from '../../../ui/badge'

const tones = { low: 'allow', medium: 'care', high: 'deny' } as const

/** The desk's own estimate; its reasons are in the title. */
export function RiskBadge({ risk, reasons }: { risk: Risk; reasons: readonly string[] }) {
  const { t } = useI18n()
  return (
    <Badge icon={risk} tone={tones[risk]} title={reasons.join('\n')}>
      {t(`risk.${risk}`)}
    </Badge>
  )
}
