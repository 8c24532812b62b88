import type { Effect } from '../../desk/types'
import { useI18n } from '../../i18n/i18n'
import { Badge } from '../../ui/badge'

/** What a rule says: an icon and a word. */
export function EffectBadge({ effect }: { effect: Effect }) {
  const { t } = useI18n()
  return (
    <Badge icon={effect} tone={effect}>
      {t(`effect.${effect}`)}
    </Badge>
  )
}
